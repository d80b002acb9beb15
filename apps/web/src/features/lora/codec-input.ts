/** What is wrong with a frame that was typed: whole bytes of hex digits, spaces between them allowed. */
export function hexProblem(text: string): 'hex' | null {
  const digits = text.replaceAll(/\s/g, '')
  return /^([0-9a-f]{2})*$/i.test(digits) ? null : 'hex'
}
