/** Style sheets are for Vite; the compiler only has to know that they exist. */
declare module '*.css';
