import type { TriggerPresetView } from '@thingwright/contracts/trigger-presets.contract'
import { Button, Modal } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../hooks.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { PresetDialog } from './preset-dialog.tsx'

const keyOf = (row: TriggerPresetView) => row.id
const NO_FILTERS: readonly ListFilter[] = []
const fetchPresets: FetchPage<TriggerPresetView> = ({ filters: _, ...input }, signal) =>
  call('triggerPresets.list', { query: input, signal })
const namesOf = (row: TriggerPresetView) => row.triggers.map(one => one.name).join(', ')

type Open = { kind: 'apply' | 'edit' | 'remove'; row: TriggerPresetView }

/** Bundles of triggers that are kept and applied to products. */
export function PresetList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('contacts')
  const navigate = useNavigate()
  const mayWrite = useMay('triggerPresets.update')
  const state = useListState(NO_FILTERS)
  const [open, setOpen] = useState<Open | null>(null)
  const close = useCallback(() => setOpen(null), [])
  const remove = useAct('triggerPresets.remove', { done: close })
  const rowActions = useCallback(
    (row: TriggerPresetView): RowAction[] =>
      mayWrite
        ? [
            { key: 'apply', label: t('preset.apply'), onClick: () => setOpen({ kind: 'apply', row }) },
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', row }) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setOpen({ kind: 'remove', row }) },
          ]
        : [],
    [t, mayWrite],
  )
  const columns = useMemo<ListColumn<TriggerPresetView>[]>(
    () => [
      {
        key: 'name',
        title: t('preset.name'),
        minWidth: 180,
        required: true,
        render: row => row.name,
        csv: row => row.name,
      },
      {
        key: 'triggers',
        title: t('preset.triggers'),
        minWidth: 220,
        required: true,
        render: row => <span title={namesOf(row)}>{`${formatNumber(row.triggers.length)} · ${namesOf(row)}`}</span>,
        csv: namesOf,
      },
      {
        key: 'note',
        title: t('preset.note'),
        minWidth: 140,
        rank: 2,
        render: row => row.note || '–',
        csv: row => row.note,
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        rank: 1,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t],
  )
  const toTriggers = (
    <Button onClick={() => void navigate('/manage/user/center/trigger')}>{t('preset.toTriggers')}</Button>
  )
  return (
    <>
      <ListPage
        id="trigger-presets"
        operation="triggerPresets.list"
        fetchPage={fetchPresets}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('preset.search')}
        title={t('title')}
        description={t('lead')}
        rowActions={rowActions}
        empty={{ title: t('preset.emptyTitle'), description: t('preset.emptyText'), action: toTriggers }}
        exportName="trigger-presets"
      />
      {open?.kind === 'apply' && <ApplyDialog preset={open.row} onClose={close} />}
      {open?.kind === 'edit' && <PresetDialog preset={open.row} onClose={close} />}
      {open?.kind === 'remove' && (
        <Modal
          open
          width={420}
          title={t('preset.removeTitle')}
          okText={t('remove')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true, loading: remove.pending }}
          onOk={() => void remove.run({ params: { id: open.row.id } })}
          onCancel={close}
        >
          <p dir="auto">{t('preset.removeText', { name: open.row.name })}</p>
        </Modal>
      )}
    </>
  )
}
