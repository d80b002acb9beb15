import { PlusOutlined } from '@ant-design/icons'
import type { ContactGroupView } from '@thingwright/contracts/notification-channels.contract'
import { Alert, Button, Input, Modal, Select } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../contacts.module.css'
import { fetchGroups, type Tabs } from '../hooks.ts'

const keyOf = (row: ContactGroupView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

/** Groups of contacts, for steps of the escalation and for triggers. */
export function GroupList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('contacts')
  const mayWrite = useMay('notificationChannels.updateGroup')
  const state = useListState(NO_FILTERS)
  const [open, setOpen] = useState<{ kind: 'edit'; row: ContactGroupView | null } | null>(null)
  const [asked, setAsked] = useState<ContactGroupView | null>(null)
  const remove = useAct('notificationChannels.removeGroup', { done: () => setAsked(null) })
  const rowActions = useCallback(
    (row: ContactGroupView): RowAction[] =>
      mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', row }) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setAsked(row) },
          ]
        : [],
    [t, mayWrite],
  )
  const columns = useMemo<ListColumn<ContactGroupView>[]>(
    () => [
      {
        key: 'name',
        title: t('group.name'),
        minWidth: 200,
        required: true,
        render: row => row.name,
        csv: row => row.name,
      },
      {
        key: 'count',
        title: t('group.count'),
        width: 128,
        align: 'right',
        render: row => row.contactIds.length,
        csv: row => row.contactIds.length,
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
  const create = (
    <PermissionGate of="notificationChannels.createGroup">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'edit', row: null })}>
        {t('group.add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="contact-groups"
        operation="notificationChannels.groups"
        fetchPage={fetchGroups}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('group.search')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        rowActions={rowActions}
        empty={{ title: t('group.emptyTitle'), description: t('group.emptyText'), action: create }}
        exportName="contact-groups"
      />
      {open && <GroupDialog group={open.row} onClose={() => setOpen(null)} />}
      {asked && (
        <Modal
          open
          width={420}
          title={t('group.removeTitle')}
          okText={t('remove')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true, loading: remove.pending }}
          onOk={() => void remove.run({ params: { id: asked.id } })}
          onCancel={() => setAsked(null)}
        >
          <p dir="auto">{t('group.removeText', { name: asked.name })}</p>
        </Modal>
      )}
    </>
  )
}

function GroupDialog({ group, onClose }: { group: ContactGroupView | null; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const [name, setName] = useState(group?.name ?? '')
  const [ids, setIds] = useState<string[]>(group?.contactIds ?? [])
  const contacts = useRead('contacts.list', { query: { limit: 100 } })
  const done = () => {
    notify.success(t('saved'))
    onClose()
  }
  const create = useAct('notificationChannels.createGroup', { notice: false, done })
  const update = useAct('notificationChannels.updateGroup', { notice: false, done })
  const error = create.error ?? update.error
  const body = { name: name.trim(), contactIds: ids }
  return (
    <Modal
      open
      width={480}
      title={t(group ? 'group.edit' : 'group.add')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: create.pending || update.pending, disabled: body.name === '' }}
      onOk={() =>
        void (group
          ? update.run({ params: { id: group.id }, body: { ...body, version: group.version } })
          : create.run({ body }))
      }
      onCancel={onClose}
    >
      <div className={css.stack}>
        {error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(error).message} />}
        <Input
          aria-label={t('group.name')}
          placeholder={t('group.name')}
          value={name}
          maxLength={64}
          onChange={event => setName(event.target.value)}
        />
        <Select
          mode="multiple"
          aria-label={t('tab.contacts')}
          placeholder={t('tab.contacts')}
          value={ids}
          options={(contacts.data?.items ?? []).map(one => ({ value: one.id, label: one.name }))}
          optionFilterProp="label"
          onChange={setIds}
        />
      </div>
    </Modal>
  )
}
