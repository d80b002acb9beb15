import type { MeterSettings } from '@thingwright/contracts/prepaid.contract'
import { ONLINE_WAYS } from '@thingwright/contracts/tariffs.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { METERING } from './hooks.ts'

/** How end users pay, and when prepaid meters are cut off. */
export function SettingsDrawer({ onClose }: { onClose: () => void }) {
  const read = useRead('meterSettings.get')
  return read.data ? <Form settings={read.data} onClose={onClose} /> : null
}

function Form({ settings, onClose }: { settings: MeterSettings; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const set = useAct('meterSettings.set', { touches: METERING, notice: false })
  const fields = useMemo<Field[]>(() => {
    const minutes = (key: string, label: string, min: number, max: number, help: string): Field => ({
      key,
      kind: 'number',
      label,
      help,
      integer: true,
      min,
      max,
      unit: t('minutes'),
      required: true,
      half: true,
    })
    const time = (key: 'from' | 'to'): Field => ({
      key,
      kind: 'string',
      label: t(key),
      required: true,
      mono: true,
      pattern: /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/,
      patternText: t('timeText'),
      half: true,
    })
    return [
      {
        key: 'online',
        kind: 'enum',
        label: t('onlineLabel'),
        required: true,
        display: 'cards',
        options: ONLINE_WAYS.map(value => ({ value, label: t(`online.${value}`), help: t(`onlineHelp.${value}`) })),
      },
      minutes('drawMinutes', t('drawMinutes'), 1, 1440, t('drawHelp')),
      {
        key: 'lowYuan',
        kind: 'number',
        label: t('lowYuan'),
        help: t('lowHelp'),
        min: 0,
        max: 500_000,
        unit: '¥',
        required: true,
        half: true,
      },
      minutes('waitMinutes', t('waitMinutes'), 0, 44_640, t('waitHelp')),
      minutes('freshMinutes', t('freshMinutes'), 1, 1440, t('freshHelp')),
      {
        key: 'protected',
        kind: 'array',
        label: t('protectedTimes'),
        help: t('protectedHelp'),
        maxItems: 10,
        fresh: () => ({ from: '22:00', to: '08:00' }),
        element: { key: '', kind: 'object', label: t('span'), fields: [time('from'), time('to')] },
      },
      {
        key: 'dueDays',
        kind: 'number',
        label: t('dueDays'),
        integer: true,
        min: 0,
        max: 365,
        unit: t('days'),
        required: true,
        half: true,
      },
    ]
  }, [t])
  return (
    <FormDrawer
      title={t('settings')}
      fields={fields}
      initial={{ ...settings, lowYuan: settings.lowFen / 100 }}
      submitText={t('save')}
      onSubmit={async ({ lowYuan, ...values }, newer) => {
        const { online, drawMinutes, waitMinutes, freshMinutes, dueDays } = values as unknown as MeterSettings
        await set.send({
          body: {
            online,
            drawMinutes,
            waitMinutes,
            freshMinutes,
            dueDays,
            protected: (values.protected as MeterSettings['protected'] | null) ?? [],
            lowFen: Math.round(Number(lowYuan) * 100),
            version: newer ?? settings.version,
          },
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
