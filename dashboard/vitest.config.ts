import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.{ts,tsx}'],
    reporters: [['default', { summary: false }], './test/surefire.ts'],
    restoreMocks: true,
    setupFiles: ['test/setup.tsx'],
    pool: 'threads',
    testTimeout: 60_000, // a busy machine takes longer than the default of five seconds
  },
});
