/** Vite reads the style sheets; the compiler only needs the module. */
declare module '*.css';
