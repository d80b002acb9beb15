import type { CalendarView } from '@thingwright/contracts/timed-tasks.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Days as they are typed or pasted: one a line, or divided by spaces or commas. */
export const daysOf = (text: unknown) =>
  String(text ?? '')
    .split(/[\s,，、;；]+/)
    .filter(Boolean)

const isDay = (text: string) => DAY.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
const isGood = (text: string) => !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && isDay(text)

/** Makes a calendar or changes one. */
export function CalendarDrawer({ calendar, onClose }: { calendar: CalendarView | null; onClose: () => void }) {
  const { t } = useTranslation('timed-tasks')
  const create = useAct('calendars.create')
  const update = useAct('calendars.update', { touches: ['timedTasks'] })
  const fields = useMemo<Field[]>(() => {
    const check = (value: unknown) => {
      const wrong = daysOf(value).find(day => !isGood(day))
      return wrong === undefined ? null : t('dayWrong', { text: wrong })
    }
    return [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'holidays',
        kind: 'string',
        label: t('holidays'),
        rows: 8,
        maxLength: 12_000,
        mono: true,
        help: t('daysHelp'),
        cleared: '',
        check,
      },
      {
        key: 'workdays',
        kind: 'string',
        label: t('workdays'),
        rows: 4,
        maxLength: 12_000,
        mono: true,
        help: t('workdaysHelp'),
        cleared: '',
        check,
      },
    ]
  }, [t])
  const initial = useMemo(
    () =>
      calendar
        ? { name: calendar.name, holidays: calendar.holidays.join('\n'), workdays: calendar.workdays.join('\n') }
        : {},
    [calendar],
  )
  return (
    <FormDrawer
      title={t(calendar ? 'editCalendar' : 'addCalendar')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const body = { name: String(values.name), holidays: daysOf(values.holidays), workdays: daysOf(values.workdays) }
        if (calendar)
          await update.send({ params: { id: calendar.id }, body: { ...body, version: newer ?? calendar.version } })
        else await create.send({ body })
        notify.success(t('calendarSaved', { name: body.name }))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
