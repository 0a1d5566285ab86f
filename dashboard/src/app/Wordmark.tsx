export function Wordmark() {
  return (
    <span className="wordmark">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M2.5 3v14M17.5 3v14M2.5 6.5h15M6.5 6.5v6M10 6.5v6M13.5 6.5v6" />
      </svg>
      Headgate
    </span>
  );
}
