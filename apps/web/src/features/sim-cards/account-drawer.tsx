import type { CarrierView } from '@thingwright/contracts/carriers.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import type { CarrierName } from './hooks.ts'

/** Connects an account at a carrier, or changes one; secrets that are left empty stay as they are. */
export function AccountDrawer({
  account,
  carrier,
  onClose,
}: {
  account: CarrierView | null
  carrier: CarrierName
  onClose: () => void
}) {
  const { t } = useTranslation('sim-cards')
  const create = useAct('carriers.create')
  const update = useAct('carriers.update')
  const fields = useMemo<Field[]>(() => {
    const kindOf = (values: Record<string, unknown>) => account?.kind ?? values.kind
    return [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      ...(account === null && carrier === 'ctcc'
        ? [
            {
              key: 'kind',
              kind: 'enum' as const,
              label: t('interface'),
              required: true,
              display: 'cards' as const,
              options: (['dcp', 'cmp'] as const).map(value => ({
                value,
                label: t(`kinds.${value}`),
                help: t(`kindHelp.${value}`),
              })),
            },
          ]
        : []),
      {
        key: 'account',
        kind: 'string',
        label: t('accountNo'),
        required: true,
        maxLength: 100,
        mono: true,
        help: t('accountHelp'),
        visible: () => !account?.ofPlatform,
      },
      {
        key: 'password',
        kind: 'string',
        label: t('password'),
        secret: true,
        keepSpaces: true,
        maxLength: 200,
        ...(account ? { placeholder: t('unchanged') } : {}),
        visible: values => !account?.ofPlatform && kindOf(values) !== 'dcp',
      },
      {
        key: 'secretKey',
        kind: 'string',
        label: t('secretKey'),
        secret: true,
        keepSpaces: true,
        maxLength: 200,
        ...(account ? { placeholder: t('unchanged') } : {}),
        help: t('secretKeyHelp'),
        visible: values => !account?.ofPlatform && kindOf(values) !== 'onelink',
      },
      {
        key: 'baseUrl',
        kind: 'string',
        label: t('baseUrl'),
        maxLength: 300,
        mono: true,
        help: t('baseUrlHelp'),
        visible: () => !account?.ofPlatform,
      },
      {
        key: 'cooldownSeconds',
        kind: 'duration',
        label: t('cooldown'),
        half: true,
        min: 0,
        max: 7200,
        help: t('cooldownHelp'),
      },
      { key: 'perSecond', kind: 'number', label: t('perSecond'), half: true, min: 0.1, max: 100 },
      {
        key: 'percents',
        kind: 'tags',
        label: t('percents'),
        maxItems: 5,
        help: t('percentsHelp'),
        check: value =>
          (value as string[]).every(text => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100)
            ? null
            : t('percentsRule'),
      },
      {
        key: 'stopAt',
        kind: 'number',
        integer: true,
        label: t('stopAt'),
        half: true,
        min: 1,
        max: 1000,
        unit: '%',
        help: t('stopAtHelp'),
      },
      { key: 'offlineDays', kind: 'number', integer: true, label: t('offlineDays'), half: true, min: 1, max: 365 },
      {
        key: 'clock',
        kind: 'enum',
        label: t('clock'),
        half: true,
        options: (['shanghai', 'utc'] as const).map(value => ({ value, label: t(`clocks.${value}`) })),
        visible: values => kindOf(values) === 'dcp',
      },
      {
        key: 'signedBody',
        kind: 'enum',
        label: t('signedBody'),
        half: true,
        options: (['raw', 'sorted'] as const).map(value => ({ value, label: t(`signedBodies.${value}`) })),
        visible: values => kindOf(values) === 'dcp',
      },
      ...(account ? [{ key: 'disabled', kind: 'bool' as const, label: t('disabled') }] : []),
    ]
  }, [t, account, carrier])
  const initial = useMemo(
    () => ({
      name: account?.name,
      kind: account?.kind ?? (carrier === 'cmcc' ? 'onelink' : 'dcp'),
      account: account?.account,
      baseUrl: account?.baseUrl,
      cooldownSeconds: account?.cooldownSeconds ?? 180,
      perSecond: account?.perSecond ?? 5,
      percents: (account?.alerts.percents ?? [50, 80, 100]).map(String),
      stopAt: account?.alerts.stopAt ?? undefined,
      offlineDays: account?.alerts.offlineDays ?? undefined,
      clock: account?.clock ?? 'shanghai',
      signedBody: account?.signedBody ?? 'raw',
      disabled: account?.state === 'disabled',
    }),
    [account, carrier],
  )
  return (
    <FormDrawer
      title={account ? t('editAccount') : t('addAccount')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ percents, stopAt, offlineDays, disabled, ...values }, newer) => {
        const given = {
          ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== '')),
          alerts: {
            percents: ((percents as string[] | null) ?? []).map(Number),
            stopAt: (stopAt as number | null | undefined) ?? null,
            offlineDays: (offlineDays as number | null | undefined) ?? null,
          },
        }
        if (account) {
          const { kind: _, ...body } = given as Record<string, unknown>
          await update.send({
            params: { id: account.id },
            body: {
              ...body,
              ...(disabled === (account.state === 'disabled') ? {} : { disabled }),
              version: newer ?? account.version,
            } as Body<'carriers.update'>,
          })
        } else
          await create.send({
            body: { ...given, ...(carrier === 'cmcc' ? { kind: 'onelink' } : {}) } as Body<'carriers.create'>,
          })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
