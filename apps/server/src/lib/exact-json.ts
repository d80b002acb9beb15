/** Enough digits in a row that a number of JavaScript may not hold them. */
const LONG_NUMBER = /\d{16}/
/** Texts, and numbers; a number is whole when it has neither fraction nor exponent. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * The text with whole numbers beyond 2^53, which JavaScript may round, as texts of their digits: an `int64` and a text
 * get every digit, other numbers take what they hold exactly and refuse the rest. Text that is no JSON stays so.
 */
export function withExactIntegers(text: string): string {
  if (!LONG_NUMBER.test(text)) return text
  return text.replace(TOKENS, token => (isBeyondSafe(token) ? `"${token}"` : token))
}

function isBeyondSafe(token: string): boolean {
  return token.length >= 16 && /^-?[1-9]\d*$/.test(token) && !Number.isSafeInteger(Number(token))
}

/** `JSON.parse` that keeps every digit of whole numbers: those beyond 2^53 become texts. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return JSON.parse(withExactIntegers(text))
}
