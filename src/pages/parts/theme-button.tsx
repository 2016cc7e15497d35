import { useLayoutEffect, useState } from 'preact/hooks';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const names: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

/** Chooses light, dark or the theme of the system. The choice is not stored: the page is a file. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>('auto');
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <fieldset class="themes">
      <legend>Theme</legend>
      {themes.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="theme"
            value={name}
            checked={theme === name}
            onChange={() => setTheme(name)}
          />
          <span>{names[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
