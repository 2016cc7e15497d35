/** The name and mark of Dossier. */
export function Brand() {
  return (
    <p class="brand">
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M3 6.5A1.5 1.5 0 0 1 4.5 5h5l2 2.5h8A1.5 1.5 0 0 1 21 9v9.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18.5z" />
        <path class="mark" d="M7 15.2l2.6 2.3L16.5 11" />
      </svg>
      Dossier
    </p>
  );
}
