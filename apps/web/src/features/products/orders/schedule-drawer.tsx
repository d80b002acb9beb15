import type { CommandScheduleView, CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { templateDefaults, templateFields } from '../../../ui/command-kit/template-params.ts'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import css from './orders.module.css'
import { ORDERED } from './use-orders.ts'

/** A named command sent every so often to the devices that are online. */
export function ScheduleDrawer({
  productId,
  templates,
  schedule,
  onClose,
}: {
  productId: string
  templates: readonly CommandTemplateView[]
  schedule: CommandScheduleView | null
  onClose: () => void
}) {
  const { t } = useTranslation('orders')
  const addSchedule = useAct('commandTemplates.addSchedule', { touches: ORDERED })
  const setSchedule = useAct('commandTemplates.setSchedule', { touches: ORDERED })
  const safe = templates.filter(template => !template.body.danger)
  const [templateId, setTemplateId] = useState(schedule?.templateId ?? safe[0]?.id ?? null)
  const template = templates.find(each => each.id === templateId)
  const fields = useMemo<Field[]>(
    () => [
      ...(template ? templateFields(template.body, locale() === 'en') : []),
      {
        key: '$every',
        kind: 'duration',
        label: t('every'),
        help: t('everyHelp'),
        required: true,
        min: 5,
        max: 86_400,
      },
      { key: '$enabled', kind: 'bool', label: t('enabled') },
    ],
    [template, t],
  )
  return (
    <FormDrawer
      key={templateId}
      title={schedule ? t('scheduleEdit') : t('scheduleAdd')}
      fields={fields}
      initial={{
        ...(template ? templateDefaults(template.body) : {}),
        ...schedule?.params,
        $every: schedule?.everySeconds ?? 60,
        $enabled: schedule?.enabled ?? true,
      }}
      submitText={t('save')}
      intro={
        <div className={css.form}>
          <LazySelect
            aria-label={t('template')}
            value={templateId}
            disabled={schedule !== null}
            options={safe.map(each => ({ value: each.id, label: `${each.name} · ${each.code}` }))}
            onChange={setTemplateId}
          />
        </div>
      }
      onSubmit={async ({ $every, $enabled, ...params }, newer) => {
        const facts = { params, everySeconds: Number($every), enabled: $enabled === true }
        if (schedule)
          await setSchedule.send({
            params: { id: productId, scheduleId: schedule.id },
            body: { ...facts, version: newer ?? schedule.version },
          })
        else if (templateId) await addSchedule.send({ params: { id: productId }, body: { templateId, ...facts } })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
