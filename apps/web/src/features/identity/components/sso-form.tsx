import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../../lib/api-client.ts'
import { Dialog } from './dialog.tsx'
import { Failure, Submit } from './form-parts.tsx'
import css from './sign-in.module.css'
import { TextField } from './text-field.tsx'
import { useSubmit } from './use-submit.ts'

/** Sign-in at the company's own identity provider: first which company, then where that leads, then there. */
export function SsoDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('identity')
  const [company, setCompany] = useState('')
  const [missing, setMissing] = useState(false)
  const [found, setFound] = useState<Reply<'security.oidcLookup'> | null>(null)
  // Stays busy on success: the page is being left.
  const { busy, failure, run } = useSubmit(() => undefined)
  const look = useSubmit(() => undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(company.trim() === '')
    if (company.trim() === '') return
    if (!found) {
      void look.run(async () => {
        setFound(
          await call('security.oidcLookup', { query: { company: company.trim() }, interfaceType: 'formNoToken' }),
        )
      })
      return
    }
    void run(async () => {
      const { url } = await call('security.oidcStart', {
        body: { company: company.trim() },
        interfaceType: 'postNoToken',
      })
      window.location.assign(url)
    })
  }
  return (
    <Dialog title={t('sso.title')} lead={t('sso.lead')} testId="sso-dialog" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <TextField
          label={t('sso.company')}
          name="company"
          autoComplete="organization"
          maxLength={190}
          value={company}
          error={missing ? t('sso.companyEmpty') : null}
          onChange={event => {
            setCompany(event.target.value)
            setFound(null)
          }}
        />
        {found && (
          <p className={css.demo} data-testid="sso-found">
            {t('sso.leadsTo', { name: found.name })} <b>{found.host}</b>
          </p>
        )}
        <Failure text={failure ?? look.failure} />
        <Submit
          busy={busy || (look.busy && !found)}
          text={found ? found.label || t('sso.go') : t('sso.next')}
          testId="sso-submit"
        />
      </form>
    </Dialog>
  )
}
