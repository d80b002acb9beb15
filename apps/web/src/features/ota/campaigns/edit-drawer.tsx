import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { FIRMWARE } from '../hooks.ts'
import { rateFields, safetyFields, windowFields } from './plan-fields.tsx'
import { autoStopOf, rateOf, retriesOf, timeoutsOf, valuesOf, windowOf } from './plan-values.ts'

/** What may change while a campaign runs; devices that are on their way keep what they were told. */
export function EditCampaignDrawer({ of, onClose }: { of: OtaCampaignView; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const update = useAct('otaCampaigns.update', { touches: FIRMWARE })
  const scheduled = of.state === 'scheduled'
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      ...(scheduled
        ? [{ key: 'startAt', kind: 'date' as const, label: t('startAt'), required: true, half: true }]
        : []),
      { key: 'endAt', kind: 'date', label: t('endAt'), help: t('endAtHelp'), half: true },
      ...rateFields(t, () => of.delivery === 'pull'),
      ...windowFields(t),
      ...safetyFields(t),
    ],
    [t, scheduled, of.delivery],
  )
  // The numbers of a running campaign move; the form keeps what it began with, and a colleague's change is not lost.
  const [{ initial, revision }] = useState(() => ({ initial: valuesOf(of), revision: of.revision }))
  return (
    <FormDrawer
      title={t('editCampaign')}
      width={720}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      note={t('editNote')}
      onSubmit={async given => {
        const values = { ...initial, ...given }
        await update.send({
          params: { id: of.id },
          body: {
            revision,
            name: String(values.name),
            rate: rateOf(values),
            window: windowOf(values),
            timeouts: timeoutsOf(values),
            retries: retriesOf(values),
            autoStop: autoStopOf(values),
            endAt: given.endAt ? new Date(Number(given.endAt)).toISOString() : null,
            ...(scheduled && given.startAt ? { startAt: new Date(Number(given.startAt)).toISOString() } : {}),
          },
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
