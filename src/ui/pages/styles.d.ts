/** Vite reads the style sheets; the compiler only needs to know that such modules exist. */
declare module '*.css';
