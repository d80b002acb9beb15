import { Button, Segmented } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { useOverview } from '../hooks.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'
import { secretField } from './secret-field.tsx'

type Overview = Reply<'security.overview'>
type Way = 'old' | 'sms' | 'mail'

export function PasswordTab() {
  const { t } = useTranslation('security')
  const overview = useOverview()
  return (
    <Loaded query={overview}>
      {data => (
        <Stack>
          <Panel title={t('password.state')}>
            <Facts
              items={[
                {
                  label: t('password.changedAt'),
                  value: data.hasPassword ? <TimeText value={data.passwordChangedAt} /> : t('password.none'),
                },
                { label: t('phone'), value: data.phone ?? t('unbound') },
                { label: t('email'), value: data.email ?? t('unbound') },
                {
                  label: t('password.expiry'),
                  value:
                    data.policy.passwordExpiryDays === 0
                      ? t('password.noExpiry')
                      : t('days', { count: data.policy.passwordExpiryDays }),
                },
              ]}
            />
          </Panel>
          <Panel title={t('password.change')} hint={t('password.changeHint')}>
            <ChangePassword key={String(data.hasPassword)} data={data} />
          </Panel>
        </Stack>
      )}
    </Loaded>
  )
}

function ChangePassword({ data }: { data: Overview }) {
  const sendCode = useAct('security.sendCode', { own: false, done: reply => setWait(reply.retryAfterSeconds) })
  const { t } = useTranslation('security')
  const changePassword = useAct('security.changePassword')
  const ways: Way[] = [
    ...(data.hasPassword ? (['old'] as const) : []),
    ...(data.phone ? (['sms'] as const) : []),
    ...(data.email ? (['mail'] as const) : []),
  ]
  const [way, setWay] = useState<Way>(ways[0] ?? 'old')
  const [wait, setWait] = useState(0)
  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])
  const { policy } = data
  const fields = useMemo<Field[]>(
    () => [
      ...(way === 'old'
        ? [
            secretField({
              key: 'oldPassword',
              label: t('password.old'),
              required: true,
              autoComplete: 'current-password',
              maxLength: 256,
            }),
          ]
        : [
            {
              kind: 'string' as const,
              key: 'code',
              label: t('password.code', { target: way === 'sms' ? data.phone : data.email }),
              required: true,
              maxLength: 8,
              pattern: /^\d{6}$/,
              patternText: t('sixDigits'),
            },
          ]),
      secretField({
        key: 'newPassword',
        label: t('password.new'),
        help: t('password.rules', {
          min: policy.passwordMinLength,
          classes: policy.passwordMinClasses,
          history: Math.max(1, policy.passwordHistory),
          context: policy.passwordMinClasses > 1 ? 'classes' : 'plain',
        }),
        required: true,
        autoComplete: 'new-password',
        check: value =>
          [...String(value ?? '')].length < policy.passwordMinLength
            ? t('password.short', { min: policy.passwordMinLength })
            : null,
      }),
      secretField({
        key: 'again',
        label: t('password.again'),
        required: true,
        autoComplete: 'new-password',
        check: (value, values) => (value === values.newPassword ? null : t('password.differs')),
      }),
    ],
    [t, way, data.phone, data.email, policy],
  )
  const form = useSchemaForm(fields, {})
  const { busy, failure, submit } = useFormSubmit(form, async ({ newPassword, oldPassword, code }) => {
    await changePassword.send({
      body: {
        newPassword: String(newPassword),
        ...(way === 'old' ? { oldPassword: String(oldPassword) } : { channel: way, code: String(code) }),
      },
    })
    form.reset({})
    notify.success(t('password.done'))
  })
  const send = () => sendCode.run({ body: { channel: way as 'sms' | 'mail', purpose: 'password' } })
  return (
    <form
      className={css.narrow}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {ways.length > 1 && (
        <div className={css.alert}>
          <Segmented
            value={way}
            options={ways.map(value => ({ value, label: t(`password.by.${value}`) }))}
            onChange={value => {
              setWay(value)
              form.reset({})
            }}
          />
        </div>
      )}
      {failure && <FormAlert error={failure.error} rest={failure.rest} />}
      <SchemaForm form={form} disabled={busy} />
      <div className={css.foot}>
        <Button type="primary" htmlType="submit" loading={busy}>
          {t('password.change')}
        </Button>
        {way !== 'old' && (
          <Button disabled={wait > 0} onClick={() => void send()}>
            {wait > 0 ? t('sendAgain', { seconds: wait }) : t('sendCode')}
          </Button>
        )}
      </div>
    </form>
  )
}
