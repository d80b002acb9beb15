import type { MediaFolderView } from '@thingwright/contracts/media.contract'
import { Alert, Input, Modal } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import css from '../../../ui/group-tree/group-tree.module.css'
import { FolderSelect } from './folder-select.tsx'

export type FolderDialogKind =
  | { kind: 'add'; parent: MediaFolderView | null }
  | { kind: 'rename' | 'move' | 'remove'; folder: MediaFolderView }

/** The small dialogs of the folder tree; a refusal is shown inside and the dialog stays. */
export function FolderDialog({
  dialog,
  folders,
  onClose,
  onRemoved,
}: {
  dialog: FolderDialogKind
  folders: readonly MediaFolderView[]
  onClose: () => void
  onRemoved: (id: string) => void
}) {
  const { t } = useTranslation('media')
  const field = useId()
  const [name, setName] = useState(dialog.kind === 'rename' ? dialog.folder.name : '')
  const [parent, setParent] = useState<string | null>(dialog.kind === 'move' ? dialog.folder.parentId : null)
  const told = {
    always: true,
    notice: false,
    done: () => {
      notify.success(t(`folder.done.${dialog.kind}`))
      onClose()
    },
  }
  const create = useAct('media.createFolder', told)
  const update = useAct('media.updateFolder', told)
  const remove = useAct('media.removeFolder', {
    ...told,
    done: (_, { params }) => {
      onRemoved(params.id)
      told.done()
    },
  })
  const { pending: busy, error: failure } = { add: create, rename: update, move: update, remove }[dialog.kind]
  const trimmed = name.trim()
  const ready = dialog.kind === 'move' || dialog.kind === 'remove' || trimmed !== ''

  const run = async () => {
    if (!ready || busy) return
    if (dialog.kind === 'add') return create.run({ body: { name: trimmed, parentId: dialog.parent?.id ?? null } })
    const { id, version } = dialog.folder
    const params = { id }
    if (dialog.kind === 'rename') return update.run({ params, body: { version, name: trimmed } })
    if (dialog.kind === 'move') return update.run({ params, body: { version, parentId: parent } })
    return remove.run({ params })
  }
  const title =
    dialog.kind === 'add'
      ? dialog.parent
        ? t('folder.addBelowTitle', { name: dialog.parent.name })
        : t('folder.add')
      : t(`folder.${dialog.kind}Title`, { name: dialog.folder.name })
  return (
    <Modal
      open
      width={420}
      title={title}
      okText={t(`folder.ok.${dialog.kind}`)}
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
            {t('folder.name')}
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
            {t('folder.newParent')}
          </label>
          <FolderSelect
            id={field}
            folders={folders}
            value={parent}
            onChange={setParent}
            without={withBelow(folders, dialog.folder.id)}
            outermost={t('folder.outermost')}
          />
        </>
      )}
      {dialog.kind === 'remove' && <p className={css.text}>{t('folder.removeText')}</p>}
    </Modal>
  )
}

/** A folder and all below it: where it cannot go. */
function withBelow(folders: readonly MediaFolderView[], id: string): Set<string> {
  const found = new Set([id])
  for (const folder of folders) if (folder.parentId !== null && found.has(folder.parentId)) found.add(folder.id)
  return found
}
