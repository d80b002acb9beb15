import { OWN_CHANNELS, TEMPLATE_APPROVALS, TEMPLATE_VARIABLES } from '@thingwright/contracts/contacts.words'
import type { NotificationTemplateView } from '@thingwright/contracts/notification-templates.contract'
import { Alert, Button, Drawer, Input, Select, Space } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { settled, useRead } from '../../../lib/server-state/use-read.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import css from '../contacts.module.css'
import { TemplateCode } from '../template-code.tsx'

/** Carriers and WeChat know a template by a name of theirs. */
const WITH_CODE = new Set<string>(['sms', 'voice', 'wechat', 'applet'])
const WITHOUT_SUBJECT = new Set<string>(['sms', 'voice', 'wechat', 'applet'])
const OWN = new Set<string>(OWN_CHANNELS)

/** Edits the words of one channel, event and language, beside them what they say of the newest alarm. */
export function TemplateDrawer({ template, onClose }: { template: NotificationTemplateView; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const { channel, event, locale, version } = template
  const params = { channel, event, locale }
  const [draft, setDraft] = useState({
    subject: template.subject,
    body: template.body,
    code: template.code,
    approval: template.approval,
  })
  const [failure, setFailure] = useState<unknown>(null)
  const [to, setTo] = useState('')
  const area = useRef<{ resizableTextArea?: { textArea: HTMLTextAreaElement } } | null>(null)
  const mayWrite = useMay('notificationTemplates.set')
  const dirty = (Object.keys(draft) as (keyof typeof draft)[]).some(key => draft[key] !== template[key])
  const guard = useUnsavedGuard(dirty)
  const preview = useRead(
    'notificationTemplates.preview',
    { body: { ...params, subject: draft.subject, body: draft.body } },
    { enabled: draft.body.trim() !== '', keep: true, through: settled() },
  )
  const channels = useRead('notificationChannels.list', { query: { limit: 100 } })
  const done = () => {
    notify.success(t('saved'))
    onClose()
  }
  const save = useAct('notificationTemplates.set', { done })
  const reset = useAct('notificationTemplates.reset', { done })
  const test = useAct('notificationTemplates.test', {
    touches: ['contacts'],
    done: ({ state, reason }) =>
      state === 'sent' ? notify.success(t('template.sent')) : notify.error(reason ?? t(`record.${state}`)),
  })
  const robots = (channels.data?.items ?? []).filter(one => one.kind === channel)
  const insert = (name: string) => {
    const field = area.current?.resizableTextArea?.textArea
    const [from, until] = field ? [field.selectionStart, field.selectionEnd] : [draft.body.length, draft.body.length]
    setDraft(now => ({ ...now, body: `${now.body.slice(0, from)}\${${name}}${now.body.slice(until)}` }))
    field?.focus()
  }
  return (
    <Drawer
      open
      size={720}
      title={[t(`way.${channel}`), t(`template.${event}`), t(locale === 'zh' ? 'localeZh' : 'localeEn')].join(
        ' \u00b7 ',
      )}
      onClose={() => guard.ask(onClose)}
      footer={
        mayWrite && (
          <Space>
            <Button
              type="primary"
              disabled={!dirty || draft.body.trim() === ''}
              loading={save.pending}
              onClick={() => {
                setFailure(null)
                save.send({ params, body: { ...draft, version } }).catch(setFailure)
              }}
            >
              {t('save')}
            </Button>
            {version > 0 && (
              <Button
                loading={reset.pending}
                onClick={() => {
                  setFailure(null)
                  reset.send({ params }).catch(setFailure)
                }}
              >
                {t('template.reset')}
              </Button>
            )}
          </Space>
        )
      }
    >
      <div className={css.stack}>
        {failure !== null && <FormAlert error={failure} />}
        {!WITHOUT_SUBJECT.has(channel) && (
          <Input
            aria-label={t('template.subject')}
            addonBefore={t('template.subject')}
            maxLength={200}
            disabled={!mayWrite}
            value={draft.subject}
            onChange={({ target }) => setDraft(now => ({ ...now, subject: target.value }))}
          />
        )}
        <Input.TextArea
          ref={area as never}
          aria-label={t('template.text')}
          rows={8}
          maxLength={2000}
          showCount
          disabled={!mayWrite}
          value={draft.body}
          onChange={({ target }) => setDraft(now => ({ ...now, body: target.value }))}
        />
        {mayWrite && (
          <Space wrap size={4}>
            {TEMPLATE_VARIABLES.map(name => (
              <Button key={name} size="small" onClick={() => insert(name)}>
                {t(`variable.${name}`)}
              </Button>
            ))}
          </Space>
        )}
        {WITH_CODE.has(channel) && (
          <>
            <Alert type="info" showIcon title={t(channel === 'applet' ? 'template.appletText' : 'template.codeText')} />
            {channel === 'wechat' || channel === 'applet' ? (
              <TemplateCode
                channel={channel}
                label={t('template.code')}
                code={draft.code}
                body={draft.body}
                disabled={!mayWrite}
                onChange={(code, body) => setDraft(now => ({ ...now, code, body: body ?? now.body }))}
              />
            ) : (
              <Input
                aria-label={t('template.code')}
                addonBefore={t('template.code')}
                maxLength={64}
                disabled={!mayWrite}
                value={draft.code}
                onChange={({ target }) => setDraft(now => ({ ...now, code: target.value.trim() }))}
              />
            )}
            <Select
              aria-label={t('template.approval')}
              disabled={!mayWrite}
              value={draft.approval}
              options={TEMPLATE_APPROVALS.map(value => ({ value, label: t(`approval.${value}`) }))}
              onChange={approval => setDraft(now => ({ ...now, approval }))}
            />
          </>
        )}
        <h3>{t('template.preview')}</h3>
        {preview.isError ? (
          <Alert type="error" showIcon title={errorFacts(preview.error).message} />
        ) : (
          <div className={css.content} dir="auto" aria-live="polite">
            {preview.data?.subject && <b>{preview.data.subject}</b>}
            <p>{preview.data?.text}</p>
          </div>
        )}
        {preview.data && (
          <p className={css.muted}>
            {[
              t(preview.data.sample ? 'template.sample' : 'template.newest'),
              ...(preview.data.parts === null ? [] : [t('template.parts', { count: preview.data.parts })]),
            ].join(' \u00b7 ')}
          </p>
        )}
        {mayWrite && channel !== 'inbox' && (
          <>
            <h3>{t('template.test')}</h3>
            {dirty && <p>{t('template.saveFirst')}</p>}
            <Space.Compact block>
              {OWN.has(channel) ? (
                <Select
                  aria-label={t('tab.channels')}
                  placeholder={t('tab.channels')}
                  value={to || null}
                  options={robots.map(one => ({ value: one.id, label: one.name }))}
                  onChange={value => setTo(value ?? '')}
                  style={{ flex: 1 }}
                />
              ) : (
                <Input
                  aria-label={t('template.to')}
                  placeholder={t(`template.to_${channel as 'email' | 'sms' | 'voice' | 'wechat' | 'applet'}`)}
                  value={to}
                  onChange={({ target }) => setTo(target.value)}
                />
              )}
              <Button
                disabled={dirty || to.trim() === ''}
                loading={test.pending}
                onClick={() => {
                  setFailure(null)
                  const body = OWN.has(channel) ? { channelId: to } : { to: to.trim() }
                  test.send({ params, body }).catch(setFailure)
                }}
              >
                {t('channel.test')}
              </Button>
            </Space.Compact>
          </>
        )}
      </div>
      {guard.dialog}
    </Drawer>
  )
}
