import type { MediaUse, MediaView } from '@thingwright/contracts/media.contract'
import { Alert, Modal, Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useFolders, useUsage } from '../hooks.ts'
import css from '../media.module.css'
import { FolderSelect } from './folder-select.tsx'

export type BatchKind = 'move' | 'tag' | 'untag' | 'remove'

/** Moves, tags or removes what was chosen; what is in use stays and is named. */
export function BatchDialog({
  kind,
  items,
  onClose,
}: {
  kind: BatchKind
  items: readonly MediaView[]
  onClose: () => void
}) {
  const { t } = useTranslation('media')
  const field = useId()
  const folders = useFolders().data?.items ?? []
  const known = useUsage().data?.tags.map(({ tag }) => tag) ?? []
  const [folderId, setFolderId] = useState<string | null>(null)
  const [tags, setTags] = useState<string[]>([])
  const [kept, setKept] = useState<{ id: string; name: string; usedBy: MediaUse[] }[] | null>(null)
  const ids = items.map(item => item.id)
  const own = [...new Set(items.flatMap(item => item.tags))]
  const ready = kind === 'move' || kind === 'remove' || tags.length > 0

  const remove = useAct('media.removeMany', {
    always: true,
    notice: false,
    done: answer => {
      if (answer.removed > 0) notify.success(t('removedCount', { count: answer.removed }))
      if (answer.kept.length > 0) setKept(answer.kept)
      else onClose()
    },
  })
  const change = useAct('media.batch', {
    always: true,
    notice: false,
    done: ({ changed: count }) => {
      notify.success(t('changedCount', { count }))
      onClose()
    },
  })
  const { pending: busy, error: failure } = kind === 'remove' ? remove : change
  const run = async () => {
    if (!ready || busy) return
    if (kind === 'remove') return remove.run({ body: { ids } })
    const body =
      kind === 'move' ? { ids, folderId } : kind === 'tag' ? { ids, addTags: tags } : { ids, removeTags: tags }
    return change.run({ body })
  }
  return (
    <Modal
      open
      width={480}
      title={t(`batch.${kind}Title`, { count: items.length })}
      okText={kept ? t('close') : t(`batch.${kind}Ok`)}
      cancelText={t('cancel')}
      okButtonProps={{ loading: busy, disabled: !ready, danger: kind === 'remove' && !kept }}
      cancelButtonProps={kept ? { style: { display: 'none' } } : {}}
      onOk={() => (kept ? onClose() : void run())}
      onCancel={onClose}
    >
      {failure !== null && (
        <Alert className={css.alert ?? ''} type="error" showIcon role="alert" title={errorFacts(failure).message} />
      )}
      {kind === 'move' && (
        <>
          <label className={css.label} htmlFor={field}>
            {t('folderTitle')}
          </label>
          <FolderSelect id={field} folders={folders} value={folderId} onChange={setFolderId} />
        </>
      )}
      {(kind === 'tag' || kind === 'untag') && (
        <>
          <label className={css.label} htmlFor={field}>
            {t('tags')}
          </label>
          <Select
            id={field}
            mode={kind === 'tag' ? 'tags' : 'multiple'}
            style={{ width: '100%' }}
            value={tags}
            onChange={(chosen: string[]) => setTags(chosen.map(tag => tag.trim().slice(0, 32)).filter(Boolean))}
            options={(kind === 'tag' ? known : own).map(tag => ({ value: tag, label: tag }))}
          />
        </>
      )}
      {kind === 'remove' && kept === null && (
        <>
          <p className={css.text}>{t('batch.removeText')}</p>
          <ul className={css.names}>
            {items.slice(0, 8).map(item => (
              <li key={item.id} dir="auto" title={item.name}>
                {item.name}
              </li>
            ))}
            {items.length > 8 && <li>{t('batch.more', { count: items.length - 8 })}</li>}
          </ul>
        </>
      )}
      {kept && (
        <>
          <Alert type="warning" showIcon title={t('batch.kept', { count: kept.length })} />
          <ul className={css.names}>
            {kept.map(item => (
              <li key={item.id}>
                <b dir="auto">{item.name}</b>
                <span className={css.hint}> {item.usedBy.map(use => use.label).join(', ')}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Modal>
  )
}
