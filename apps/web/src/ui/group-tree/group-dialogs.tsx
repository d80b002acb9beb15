import type { GroupKind, GroupView } from '@thingwright/contracts/groups.contract'
import { Alert, Input, Modal } from 'antd'
import { useId, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { GroupSelect } from './group-select.tsx'
import css from './group-tree.module.css'
import { buildTree, withDescendants } from './tree.ts'

export type GroupDialog =
  | { kind: 'add'; parent: GroupView | null }
  | { kind: 'rename' | 'move' | 'remove'; group: GroupView }

/** The small dialogs of a group tree; a refusal is shown inside and the dialog stays. */
export function GroupDialogs({
  kind,
  dialog,
  groups,
  onClose,
  onRemoved,
}: {
  kind: GroupKind
  dialog: GroupDialog
  groups: readonly GroupView[]
  onClose: () => void
  onRemoved: (group: GroupView) => void
}) {
  const { t } = useTranslation('group-tree')
  const field = useId()
  const [name, setName] = useState(dialog.kind === 'rename' ? dialog.group.name : '')
  const [parent, setParent] = useState<string | null>(dialog.kind === 'move' ? dialog.group.parentId : null)
  const told = {
    always: true,
    notice: false,
    done: () => {
      notify.success(t(`done.${dialog.kind}`))
      onClose()
    },
  }
  const create = useAct('groups.create', told)
  const update = useAct('groups.update', told)
  const remove = useAct('groups.remove', {
    ...told,
    done: () => {
      if (dialog.kind === 'remove') onRemoved(dialog.group)
      told.done()
    },
  })
  const { pending: busy, error: failure } = { add: create, rename: update, move: update, remove }[dialog.kind]
  const forbidden = useMemo(
    () => (dialog.kind === 'move' ? withDescendants(buildTree(groups), dialog.group.id) : new Set<string>()),
    [dialog, groups],
  )
  const trimmed = name.trim()
  const ready = dialog.kind === 'move' || dialog.kind === 'remove' || trimmed !== ''

  const run = async () => {
    if (!ready || busy) return
    if (dialog.kind === 'add') return create.run({ body: { kind, name: trimmed, parentId: dialog.parent?.id ?? null } })
    const { id, version } = dialog.group
    const params = { id }
    if (dialog.kind === 'rename') return update.run({ params, body: { version, name: trimmed } })
    if (dialog.kind === 'move') return update.run({ params, body: { version, parentId: parent } })
    return remove.run({ params })
  }
  const title =
    dialog.kind === 'add'
      ? dialog.parent
        ? t('addBelowTitle', { name: dialog.parent.name })
        : t('add')
      : t(`${dialog.kind}Title`, { name: dialog.group.name })
  return (
    <Modal
      open
      width={420}
      title={title}
      okText={t(`ok.${dialog.kind}`)}
      cancelText={t('cancel')}
      okButtonProps={{ loading: busy, disabled: !ready, danger: dialog.kind === 'remove' }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      {failure !== null && (
        <Alert className={css.alert ?? ''} type="error" showIcon role="alert" title={errorFacts(failure).message} />
      )}
      {(dialog.kind === 'add' || dialog.kind === 'rename') && (
        <>
          <label className={css.label} htmlFor={field}>
            {t('name')}
          </label>
          <Input
            id={field}
            autoFocus
            maxLength={64}
            showCount
            value={name}
            onChange={event => setName(event.target.value)}
            onPressEnter={() => void run()}
          />
        </>
      )}
      {dialog.kind === 'move' && (
        <>
          <label className={css.label} htmlFor={field}>
            {t('newParent')}
          </label>
          <GroupSelect
            id={field}
            kind={kind}
            value={parent}
            onChange={setParent}
            without={forbidden}
            placeholder={t('outermost')}
          />
        </>
      )}
      {dialog.kind === 'remove' && <p className={css.text}>{t('removeText')}</p>}
    </Modal>
  )
}
