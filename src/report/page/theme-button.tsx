import { useLayoutEffect, useState } from 'preact/hooks';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const names: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

/** Light, dark, or as the system has it. A page that is a file remembers nothing, and need not. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>('auto');
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
    // Charts are painted, so they have to hear of it.
    dispatchEvent(new Event('themechange'));
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
