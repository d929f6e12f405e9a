/**
 * The color of menu items and outlined buttons that take something away. The library's red is too pale on white there,
 * and its dark shades are too dark on dark grey.
 */
export const DANGER = 'var(--mw-bad)'
