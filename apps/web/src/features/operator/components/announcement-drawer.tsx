import { LEVELS } from '@thingwright/contracts/levels.words'
import type { AnnouncementView } from '@thingwright/contracts/operator.contract'
import { Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

const STATUSES = ['inactive', 'trial', 'active', 'grace', 'expired', 'frozen'] as const

/** A draft in both languages, for all companies or those in some states. */
export function AnnouncementDrawer({ row, onClose }: { row: AnnouncementView | null; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const createAnnouncement = useAct('operator.createAnnouncement')
  const updateAnnouncement = useAct('operator.updateAnnouncement')
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'titleZh', label: t('titleZh'), required: true, maxLength: 80 },
      { kind: 'string', key: 'titleEn', label: t('titleEn'), required: true, maxLength: 120 },
      { kind: 'string', key: 'textZh', label: t('textZh'), rows: 3, maxLength: 2000, cleared: '' },
      { kind: 'string', key: 'textEn', label: t('textEn'), rows: 3, maxLength: 3000, cleared: '' },
      {
        kind: 'enum',
        key: 'level',
        label: t('level'),
        required: true,
        display: 'segmented',
        options: LEVELS.map(value => ({ value, label: t(`levels.${value}`) })),
      },
      {
        kind: 'custom',
        key: 'statuses',
        label: t('audience'),
        help: t('audienceHelp'),
        render: ({ id, value, onChange, disabled }) => (
          <Select
            id={id}
            mode="multiple"
            allowClear
            disabled={disabled}
            style={{ width: '100%' }}
            placeholder={t('everyCompany')}
            value={(value as string[] | null) ?? []}
            onChange={chosen => onChange(chosen.length === 0 ? null : chosen)}
            options={STATUSES.map(value => ({ value, label: t(`status.${value}`) }))}
          />
        ),
      },
      { kind: 'date', key: 'expiresAt', label: t('shownUntil') },
    ],
    [t],
  )
  const initial = {
    titleZh: row?.title.zh ?? '',
    titleEn: row?.title.en ?? '',
    textZh: row?.text.zh ?? '',
    textEn: row?.text.en ?? '',
    level: row?.level ?? 'info',
    statuses: row?.statuses ?? null,
    expiresAt: row?.expiresAt ? Date.parse(row.expiresAt) : null,
  }
  return (
    <FormDrawer
      title={t(row ? 'editAnnouncement' : 'addAnnouncement')}
      fields={fields}
      initial={initial}
      submitText={t('saveDraft')}
      width={720}
      onClose={onClose}
      onSubmit={async (given, newer) => {
        const values = { ...initial, ...given } as typeof initial
        const body: Body<'operator.createAnnouncement'> = {
          level: values.level,
          title: { zh: values.titleZh, en: values.titleEn },
          text: { zh: values.textZh, en: values.textEn },
          statuses: values.statuses,
          tenantIds: row?.tenantIds ?? null,
          expiresAt: values.expiresAt ? new Date(values.expiresAt).toISOString() : null,
        }
        if (row)
          await updateAnnouncement.send({ params: { id: row.id }, body: { ...body, version: newer ?? row.version } })
        else await createAnnouncement.send({ body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
