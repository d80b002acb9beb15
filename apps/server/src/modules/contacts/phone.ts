/**
 * A phone number as carriers take it, `+8613800000000` (E.164, at most 15 digits). Eleven digits that begin like a mainland
 * mobile are one.
 * @returns null: it is none
 */
export function phoneOf(text: string): string | null {
  const bare = text.replaceAll(/[\s\-()]/g, '').replace(/^00/, '+')
  if (/^1[3-9]\d{9}$/.test(bare)) return `+86${bare}`
  // Mainland mobiles have eleven digits; what begins with +86 and is no such number reaches nobody.
  if (bare.startsWith('+86')) return /^\+861[3-9]\d{9}$/.test(bare) ? bare : null
  return /^\+[1-9]\d{6,14}$/.test(bare) ? bare : null
}
