import { DEFAULT_SECURITY_POLICY, type SecurityPolicy } from '@thingwright/contracts/security.contract'
import { AppError } from '../../lib/errors.ts'
import worst from './worst-passwords.json' with { type: 'json' }

/** The part of a company's rules that a password is held against. */
export type PasswordPolicy = Pick<
  SecurityPolicy,
  'passwordMinLength' | 'passwordMinClasses' | 'passwordHistory' | 'passwordExpiryDays'
>

export interface NewPassword {
  password: string
  username?: string | null | undefined
  phone?: string | null | undefined
}

/** A rule that a password breaks: an error code with the values of its text. */
export interface PasswordProblem {
  code: 'password.too_short' | 'password.too_long' | 'password.classes' | 'password.contains_name' | 'password.common'
  params: Record<string, unknown>
}

/** Longer ones would let a caller keep the hashing busy; 64 and more must be possible (ASVS 5 §6.2.9). */
export const PASSWORD_MAX_LENGTH = 128

const WORDS: ReadonlySet<string> = new Set(worst.words)
const KEYBOARD = [
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1234567890',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb',
]

/**
 * Holds a new password against the rules; an empty list means that it may be taken. Earlier passwords are compared
 * elsewhere, because that takes their hashes. Characters are counted as people see them, after NFKC.
 * @param policy the company's rules; the defaults when nobody belongs to a company yet
 */
export function checkNewPassword(policy: PasswordPolicy | null, given: NewPassword): PasswordProblem[] {
  const rules = policy ?? DEFAULT_SECURITY_POLICY
  const password = given.password.normalize('NFKC')
  const length = [...password].length
  const problems: PasswordProblem[] = []
  if (length < rules.passwordMinLength)
    problems.push({ code: 'password.too_short', params: { min: rules.passwordMinLength } })
  if (length > PASSWORD_MAX_LENGTH) problems.push({ code: 'password.too_long', params: { max: PASSWORD_MAX_LENGTH } })
  if (classesOf(password) < rules.passwordMinClasses)
    problems.push({ code: 'password.classes', params: { classes: rules.passwordMinClasses } })
  if (containsOneself(password, given)) problems.push({ code: 'password.contains_name', params: {} })
  if (isCommon(password)) problems.push({ code: 'password.common', params: {} })
  return problems
}

/**
 * The same as an error of the form's field.
 * @throws AppError request.validation with the first broken rule at the field
 */
export function refuseBadPassword(policy: PasswordPolicy | null, given: NewPassword, field = 'password'): void {
  const [first] = checkNewPassword(policy, given)
  if (first)
    throw new AppError('request.validation', {
      params: { count: 1 },
      fields: { [field]: { code: first.code, params: first.params } },
    })
}

/** Whether a password has to be changed because of its age. `changedAt` null: it never was changed, so its age is unknown. */
export function passwordExpired(policy: PasswordPolicy, changedAt: Date | null, now: number): boolean {
  if (policy.passwordExpiryDays === 0 || changedAt === null) return false
  return changedAt.getTime() + policy.passwordExpiryDays * 86_400_000 <= now
}

/** Of lower case, upper case, digits and everything else; letters without case (Chinese) count as "everything else". */
function classesOf(password: string): number {
  const others = /[^\p{Ll}\p{Lu}\p{Nd}]/u
  return [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, others].filter(pattern => pattern.test(password)).length
}

function containsOneself(password: string, { username, phone }: NewPassword): boolean {
  const lower = password.toLowerCase()
  const name = username?.normalize('NFKC').trim().toLowerCase() ?? ''
  if (name.length >= 3 && (lower.includes(name) || lower.includes([...name].reverse().join('')))) return true
  const digits = phone?.replace(/\D/g, '') ?? ''
  return digits.length >= 6 && lower.replace(/\D/g, '').includes(digits.slice(-8))
}

/** One of the worst passwords, also dressed up (P@ssw0rd2024!), a run on the keyboard, or one thing repeated. */
function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  if (WORDS.has(lower)) return true
  // Only a core without its trimmings: “password” plus enough other words is a good password.
  const core = lower.replace(/^[\W\d_]+|[\W\d_]+$/g, '')
  if (core !== '' && lower.length - core.length <= 6 && (WORDS.has(core) || WORDS.has(plain(core)))) return true
  if (lower.length <= 14 && WORDS.has(plain(lower).replace(/[\W\d_]+$/, ''))) return true
  if (new Set(lower).size <= 2) return true
  if (/^(.{1,4})\1+.?$/u.test(lower)) return true
  return isRun(lower)
}

const LEET: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '0': 'o',
  '1': 'l',
  '!': 'i',
  '3': 'e',
  $: 's',
  '5': 's',
  '7': 't',
}
function plain(text: string): string {
  return text.replace(/[@401!3$57]/g, character => LEET[character]!)
}

/** abcdefgh, 87654321, qwertyui: each character next to the one before it. */
function isRun(text: string): boolean {
  const characters = [...text]
  for (const step of [1, -1]) {
    if (characters.every((c, at) => at === 0 || c.codePointAt(0)! - characters[at - 1]!.codePointAt(0)! === step))
      return true
  }
  return KEYBOARD.some(row => row.repeat(2).includes(text) || [...row.repeat(2)].reverse().join('').includes(text))
}
