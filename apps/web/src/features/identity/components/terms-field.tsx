import { useTranslation } from 'react-i18next'
import css from './sign-in.module.css'
import type { Fields } from './use-fields.ts'

/** Consent to the terms, which open beside this page. */
export function TermsField({
  accepted,
  onChange,
  fields,
}: {
  accepted: boolean
  onChange: (accepted: boolean) => void
  fields: Fields
}) {
  const { t } = useTranslation('identity')
  const error = fields.error('acceptTerms')
  return (
    <div className={css.terms}>
      <label>
        <input
          type="checkbox"
          name="acceptTerms"
          checked={accepted}
          aria-invalid={error !== null}
          onChange={event => {
            fields.change('acceptTerms')
            onChange(event.target.checked)
          }}
        />
        <span>
          {t('register.terms')}{' '}
          <a href="/alonePage/TermsService" target="_blank" rel="noreferrer">
            {t('register.termsLink')}
          </a>
        </span>
      </label>
      <p className={css.fieldError} role={error ? 'alert' : undefined}>
        {error}
      </p>
    </div>
  )
}
