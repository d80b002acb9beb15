import { AppError } from '../../lib/errors.ts'

/** @throws AppError auth.phone_invalid. Mainland numbers lose their +86, others keep their + */
export function normalisePhone(phone: string): string {
  const digits = phone.replace(/[\s-]/g, '')
  if (!/^\+?\d{6,15}$/.test(digits))
    throw new AppError('auth.phone_invalid', { fields: { phone: { code: 'auth.phone_invalid' } } })
  return digits.replace(/^\+?86(?=1\d{10}$)/, '')
}

/**
 * A mail address as it is stored and compared: lower case, ASCII only. Narrower than RFC 5321 on purpose: no quotes, no
 * comments, no line ends, so that it can stand in a header.
 * @throws AppError auth.email_invalid
 */
export function normaliseEmail(email: string): string {
  const text = email.trim().toLowerCase()
  const [local = '', domain = '', rest] = text.split('@')
  const right =
    rest === undefined &&
    text.length <= 254 &&
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local) &&
    local.length <= 64 &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(domain)
  if (!right) throw new AppError('auth.email_invalid', { fields: { email: { code: 'auth.email_invalid' } } })
  return text
}

/** `139****5678`, `li***@acme.example`: enough to recognise one's own, not enough to use. */
export function maskAddress(address: string): string {
  const at = address.indexOf('@')
  if (at > 0) return `${address.slice(0, Math.min(2, at))}***${address.slice(at)}`
  return address.length < 8 ? `${address.slice(0, 2)}****` : `${address.slice(0, 3)}****${address.slice(-4)}`
}
