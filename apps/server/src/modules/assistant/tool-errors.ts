import type { Locale } from '../../lib/context.ts'
import type { AppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { rightName } from '../roles/index.ts'
import words from './assistant-words.json' with { type: 'json' }
import { redactText } from './redact.ts'
import { fill } from './tool-context.ts'

/** Errors of routes in words for the person who asked: never a stack, never what only programs read. */
export const appErrorText = {
  of(error: AppError, locale: Locale): string {
    if (error.code === 'permission.denied' && error.params.permission)
      return appErrorText.denied(String(error.params.permission), locale)
    const fields = Object.entries(error.fields ?? {})
      .slice(0, 5)
      .map(([field, { code, params }]) => `${field}: ${errorText(locale, code, params)}`)
    return redactText([errorText(locale, error.code, error.params), ...fields].join('\n'))
  },
  /** Names the right that is missing, and who gives it. */
  denied: (permission: string, locale: Locale) =>
    fill(words.runner.noRight[locale], { permission, name: rightName(locale, permission) }),
}
