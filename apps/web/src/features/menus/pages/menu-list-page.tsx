import { PlusOutlined } from '@ant-design/icons'
import type { MenuEntry } from '@thingwright/contracts/menu-editor.contract'
import { Button, Modal, Skeleton, Tree } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { EntryForm, entryFields, NEW_ENTRY } from '../components/entry-form.tsx'
import { useMenu } from '../hooks.ts'
import { dropped, type MenuNode, type Place, stepped, treeOf } from '../menu-tree.ts'
import css from '../menus.module.css'

/** The installation's menu: a tree to be ordered by dragging, and every field of an entry. */
export function MenuListPage() {
  const { t } = useTranslation('menus')
  return useMay('menuEditor.update') ? (
    <Editor />
  ) : (
    <>
      <PageHeader title={t('title')} />
      <Panel>
        <NoPermissionState of="menuEditor.update" />
      </Panel>
    </>
  )
}

type Asking = { kind: 'add'; parentId: string | null } | { kind: 'remove'; entry: MenuEntry } | { kind: 'reset' }

function Editor() {
  const { t } = useTranslation('menus')
  const menu = useMenu()
  const [chosen, setChosen] = useState<string | null>(null)
  const [asking, setAsking] = useState<Asking | null>(null)
  const items = useMemo(() => menu.data?.items ?? [], [menu.data])
  const tree = useMemo(() => treeOf(items), [items])
  const entry = items.find(item => item.id === chosen) ?? items[0]

  // What was refused was perhaps asked of a menu that is no longer so: it is read anew in any case.
  const update = useAct('menuEditor.update', { always: true })
  const create = useAct('menuEditor.create')
  const remove = useAct('menuEditor.remove', { always: true, done: () => notify.success(t('removed')) })
  const reset = useAct('menuEditor.reset', { always: true, done: () => notify.success(t('resetDone')) })
  const move = (id: string, place: Place | null) => {
    const moved = items.find(item => item.id === id)
    if (!place || !moved) return
    void update.run({ params: { id }, body: { version: moved.version, ...place } })
  }
  const siblings = entry ? items.filter(item => item.parentId === entry.parentId) : []
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('lead')}
        actions={
          <>
            <Button onClick={() => setAsking({ kind: 'reset' })}>{t('reset')}</Button>
            <Button
              type="primary"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => setAsking({ kind: 'add', parentId: null })}
            >
              {t('add')}
            </Button>
          </>
        }
      />
      {menu.error ? (
        <Panel>
          <ErrorState error={menu.error} onRetry={() => void menu.refetch()} />
        </Panel>
      ) : !menu.data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 12 }} />
        </Panel>
      ) : (
        <div className={css.columns}>
          <Panel title={t('tree')} hint={t('treeHint')}>
            {tree.length === 0 ? (
              <EmptyState title={t('empty')} description={t('emptyText')} />
            ) : (
              <Tree<MenuNode>
                blockNode
                draggable={{ icon: false }}
                defaultExpandAll
                treeData={tree}
                selectedKeys={entry ? [entry.id] : []}
                titleRender={node => <Title entry={node.entry} />}
                onSelect={keys => setChosen(String(keys[0] ?? entry?.id ?? ''))}
                onDrop={info => {
                  const side = info.dropPosition - Number(info.node.pos.split('-').at(-1)) < 0 ? -1 : 1
                  move(
                    String(info.dragNode.key),
                    dropped(items, String(info.dragNode.key), String(info.node.key), !info.dropToGap, side),
                  )
                }}
              />
            )}
          </Panel>
          {entry && (
            <EntryForm
              key={`${entry.id}/${entry.version}`}
              entry={entry}
              first={siblings[0]?.id === entry.id}
              last={siblings.at(-1)?.id === entry.id}
              hasChildren={items.some(item => item.parentId === entry.id)}
              onStep={by => move(entry.id, stepped(items, entry.id, by))}
              onAddBelow={() => setAsking({ kind: 'add', parentId: entry.id })}
              onRemove={() => setAsking({ kind: 'remove', entry })}
              onSave={async values => {
                const body = { ...values, version: entry.version } as Body<'menuEditor.update'>
                await update.send({ params: { id: entry.id }, body })
                notify.success(t('saved'))
              }}
            />
          )}
        </div>
      )}
      {asking?.kind === 'add' && (
        <FormDrawer
          title={t('add')}
          fields={entryFields(t)}
          initial={NEW_ENTRY}
          submitText={t('add')}
          onClose={() => setAsking(null)}
          onSubmit={async values => {
            const body = { ...values, parentId: asking.parentId } as Body<'menuEditor.create'>
            const made = await create.send({ body })
            setChosen(made.id)
            setAsking(null)
          }}
        />
      )}
      {(asking?.kind === 'remove' || asking?.kind === 'reset') && (
        <Modal
          open
          width={420}
          title={asking.kind === 'remove' ? t('removeTitle', { name: asking.entry.name }) : t('resetTitle')}
          okText={asking.kind === 'remove' ? t('remove') : t('reset')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true }}
          onCancel={() => setAsking(null)}
          onOk={() => {
            setAsking(null)
            void (asking.kind === 'remove' ? remove.run({ params: { id: asking.entry.id } }) : reset.run())
          }}
        >
          {asking.kind === 'remove' ? t('removeText') : t('resetText')}
        </Modal>
      )}
    </>
  )
}

function Title({ entry }: { entry: MenuEntry }) {
  const { t } = useTranslation('menus')
  const name = locale() === 'en' && entry.ename !== '' ? entry.ename : entry.name
  const marks = [
    entry.hidden ? t('hidden') : '',
    entry.operatorOnly ? t('operators') : '',
    entry.built ? '' : t('planned'),
  ].filter(mark => mark !== '')
  return (
    <span className={css.title}>
      {entry.icon !== '' && <ThingIcon svg={entry.icon} size={16} />}
      <span className={css.name} title={name}>
        {name}
      </span>
      {marks.map(mark => (
        <span key={mark} className={css.mark}>
          {mark}
        </span>
      ))}
    </span>
  )
}
