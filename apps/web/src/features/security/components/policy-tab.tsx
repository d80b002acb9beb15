import { Alert, Button } from 'antd'
import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body, Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Panel } from '../../../ui/panel.tsx'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'

export function PolicyTab() {
  const policy = useRead('security.policy')
  return (
    <Loaded query={policy} of="security.policy">
      {data => <PolicyForm key={JSON.stringify(data.policy)} data={data} />}
    </Loaded>
  )
}

function PolicyForm({ data }: { data: Reply<'security.policy'> }) {
  const { t } = useTranslation('security')
  const setPolicy = useAct('security.setPolicy')
  const fields = useMemo<Field[]>(
    () => [
      number(t, 'passwordMinLength', 8, 64, t('policy.characters')),
      number(t, 'passwordMinClasses', 1, 4, t('policy.classes')),
      number(t, 'passwordHistory', 0, 24, t('policy.passwords')),
      number(t, 'passwordExpiryDays', 0, 730, t('policy.days')),
      {
        kind: 'bool',
        key: 'secondFactorRequired',
        label: t('policy.secondFactorRequired'),
        help:
          data.membersWithoutSecondFactor > 0
            ? t('policy.membersWithout', { count: data.membersWithoutSecondFactor })
            : t('policy.allHave'),
      },
      number(t, 'sessionHours', 1, 2160, t('policy.hours')),
      number(t, 'idleMinutes', 0, 1440, t('policy.minutes')),
      {
        kind: 'tags',
        key: 'ipAllowList',
        label: t('policy.ipAllowList'),
        maxItems: 100,
        maxLength: 64,
        suggestions: [data.yourAddress],
        help: (
          <>
            {t('policy.ipHelp')} <CopyId value={data.yourAddress} />
          </>
        ),
      },
      { kind: 'bool', key: 'noticeNewDevice', label: t('policy.noticeNewDevice'), help: t('policy.noticeHelp') },
    ],
    [t, data.membersWithoutSecondFactor, data.yourAddress],
  )
  const form = useSchemaForm(fields, data.policy as unknown as Values)
  const guard = useUnsavedGuard(form.dirty)
  const { busy, failure, submit } = useFormSubmit(form, async values => {
    const saved = await setPolicy.send({
      body: {
        ...values,
        ipAllowList: (values.ipAllowList as string[] | null | undefined) ?? [],
      } as Body<'security.setPolicy'>,
    })
    form.reset(saved as unknown as Values)
    notify.success(t('saved'))
  })
  return (
    <Panel title={t('policy.title')} hint={t('policy.hint')}>
      <form
        className={css.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        {data.policy.ipAllowList.length > 0 && (
          <Alert
            className={css.alert ?? ''}
            type="info"
            showIcon
            title={t('policy.limited', { count: data.policy.ipAllowList.length })}
          />
        )}
        <SchemaForm form={form} disabled={busy} />
        <div className={css.foot}>
          <Button type="primary" htmlType="submit" loading={busy} disabled={!form.dirty}>
            {t('save')}
          </Button>
        </div>
      </form>
      {guard.dialog}
    </Panel>
  )
}

/** A number of the policy with its unit. */
function number(t: TFunction<'security'>, name: string, min: number, max: number, unit: string): Field {
  return {
    kind: 'number',
    key: name,
    label: t(`policy.${name}`),
    help: t(`policy.${name}Help`),
    integer: true,
    required: true,
    half: true,
    min,
    max,
    unit,
  }
}
