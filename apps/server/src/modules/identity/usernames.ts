import { AppError } from '../../lib/errors.ts'

/**
 * A user name as it is stored: NFKC, letters and digits of any script, `.`, `_`, `-`; 3 to 32 characters. Not digits
 * alone, so that it is never taken for a phone number.
 * @throws AppError request.validation with auth.username_invalid at the field
 */
export function checkUsername(text: string, field = 'username'): string {
  const name = text.normalize('NFKC').trim()
  const length = [...name].length
  if (length < 3 || length > 32 || !/^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}._-]*$/u.test(name) || /^\p{Nd}+$/u.test(name))
    throw fieldError(field, 'auth.username_invalid')
  return name
}

/** A 422 that points at one field. */
export function fieldError(
  field: string,
  code: 'auth.username_invalid' | 'auth.terms_required' | 'auth.username_taken' | 'field.minLength',
  params: Record<string, unknown> = {},
): AppError {
  return new AppError('request.validation', { params: { count: 1 }, fields: { [field]: { code, params } } })
}
