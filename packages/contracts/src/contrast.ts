/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map(at => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** Contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.2, 1.4.3). */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light! + 0.05) / (dark! + 0.05)
}

/** The colour mixed with white (`share` 0 to 1 of white). */
export function lighten(colour: string, share: number): string {
  return `#${[1, 3, 5]
    .map(at => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16)
      return Math.round(part + (255 - part) * share)
        .toString(16)
        .padStart(2, '0')
    })
    .join('')}`
}
