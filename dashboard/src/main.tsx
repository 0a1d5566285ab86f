import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { followSystemTheme } from './app/theme';
import './styles/base.css';
import './styles/parts.css';
import './styles/pages.css';

followSystemTheme();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
