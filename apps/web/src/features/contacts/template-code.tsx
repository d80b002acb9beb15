import { Alert, Button, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './contacts.module.css'
import { bodyFor, differences } from './template-fields.ts'

type Channel = 'wechat' | 'applet'

/**
 * Templates of the company's account or mini-program at WeChat; none without an account, or without the permission to
 * read them.
 */
function useTemplates(channel: Channel) {
  const mayApplet = useMay('wechatApplets.messageTemplates')
  const mayAccount = useMay('wechatFollowers.templates')
  const applets = useRead('wechatApplets.list', {}, { enabled: mayApplet && channel === 'applet' })
  const accounts = useRead('wechatAccounts.list', {}, { enabled: mayAccount && channel === 'wechat' })
  const appletId = applets.data?.items.find(({ state }) => state === 'authorized')?.id ?? ''
  const accountId = accounts.data?.items[0]?.id ?? ''
  const ofApplet = useRead('wechatApplets.messageTemplates', { params: { id: appletId } }, { enabled: appletId !== '' })
  const ofAccount = useRead('wechatFollowers.templates', { params: { id: accountId } }, { enabled: accountId !== '' })
  return channel === 'applet'
    ? { isOffered: appletId !== '', read: ofApplet }
    : { isOffered: accountId !== '', read: ofAccount }
}

/** The template of messages at WeChat: chosen from those that WeChat names, typed where it cannot be asked. */
export function TemplateCode({
  channel,
  label,
  code,
  body,
  disabled = false,
  isWrong = false,
  onChange,
}: {
  channel: Channel
  label: string
  code: string
  /** Lines of its fields. */
  body: string
  disabled?: boolean
  isWrong?: boolean
  /** @param body for the fields of a template that was chosen; null: it stays */
  onChange: (code: string, body: string | null) => void
}) {
  const { t } = useTranslation('contacts')
  const { isOffered, read } = useTemplates(channel)
  const templates = read.data?.items ?? []
  const chosen = templates.find(({ id }) => id === code)
  if (!isOffered || read.isError)
    return (
      <>
        {read.isError && (
          <Alert
            type="warning"
            showIcon
            title={t('template.notAsked', { why: errorFacts(read.error).message })}
            action={
              <Button size="small" onClick={() => void read.refetch()}>
                {t('template.askAgain')}
              </Button>
            }
          />
        )}
        <Input
          aria-label={label}
          placeholder={label}
          maxLength={64}
          disabled={disabled}
          status={isWrong ? 'error' : ''}
          value={code}
          onChange={({ target }) => onChange(target.value.trim(), null)}
        />
      </>
    )
  const { missing, unknown } = chosen ? differences(chosen.fields, body) : { missing: [], unknown: [] }
  return (
    <>
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        aria-label={label}
        placeholder={label}
        disabled={disabled}
        loading={read.isPending}
        value={code || null}
        options={[
          ...templates.map(({ id, title }) => ({ value: id, label: `${title} \u00b7 ${id}` })),
          ...(code === '' || chosen || read.isPending
            ? []
            : [{ value: code, label: t('template.notThere', { code }), disabled: true }]),
        ]}
        notFoundContent={t('template.noneThere')}
        onChange={(id: string | undefined) => {
          const next = templates.find(each => each.id === id)
          onChange(id ?? '', next ? bodyFor(next.fields, body) : null)
        }}
      />
      {chosen && chosen.fields.length > 0 && (
        <p className={css.muted}>
          {chosen.fields
            .map(({ key, name }) => (name === '' || name === key ? key : `${key} ${name}`))
            .join(' \u00b7 ')}
        </p>
      )}
      {missing.length + unknown.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={[
            ...(missing.length > 0 ? [t('template.missing', { keys: missing.join(', ') })] : []),
            ...(unknown.length > 0 ? [t('template.unknown', { keys: unknown.join(', ') })] : []),
          ].join(' ')}
        />
      )}
    </>
  )
}
