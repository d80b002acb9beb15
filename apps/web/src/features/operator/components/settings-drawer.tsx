import type { PlatformSettingsView } from '@thingwright/contracts/operator.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

/** Settings of the installation: whom companies ask. */
export function SettingsDrawer({ onClose }: { onClose: () => void }) {
  const settings = useRead('operator.settings', {}, { gcTime: 0 })
  return settings.data ? <Form settings={settings.data} onClose={onClose} /> : null
}

function Form({ settings, onClose }: { settings: PlatformSettingsView; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const setSettings = useAct('operator.setSettings', {
    done: reply => cache.put('operator.settings', {}, reply),
  })
  const cache = useCache()
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('contactName'), help: t('contactHelp'), maxLength: 64, cleared: '' },
      {
        kind: 'string',
        key: 'phone',
        label: t('contactPhone'),
        maxLength: 32,
        pattern: /^[0-9+() -]*$/,
        half: true,
        cleared: '',
      },
      {
        kind: 'string',
        key: 'email',
        label: t('contactEmail'),
        maxLength: 128,
        pattern: /^[^@\s]+@[^@\s]+$/,
        half: true,
        cleared: '',
      },
      {
        kind: 'number',
        integer: true,
        key: 'trialDays',
        label: t('trialDays'),
        min: 1,
        max: 365,
        required: true,
        half: true,
      },
    ],
    [t],
  )
  return (
    <FormDrawer
      title={t('platformSettings')}
      fields={fields}
      initial={{ ...settings.contact, trialDays: settings.trialDays }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async values => {
        const { trialDays, ...contact } = { ...settings.contact, trialDays: settings.trialDays, ...values } as Record<
          string,
          unknown
        >
        const body = { contact, trialDays } as PlatformSettingsView
        await setSettings.send({ body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
