/**
 * The text of a number as it is meant: full-width digits and signs, the full stop that Chinese input methods type for a
 * decimal point, and the minus sign of typography become their plain forms. Everything else stays as it is.
 */
export function plainNumber(text: string): string {
  return text
    .replace(/[\uff0b\uff0c\uff0d\uff0e\uff10-\uff19\uff25\uff45]/g, sign => sign.normalize('NFKC'))
    .replaceAll('\u3002', '.')
    .replaceAll('\u2212', '-')
    .trim()
}
