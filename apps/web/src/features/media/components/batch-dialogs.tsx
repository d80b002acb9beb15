import type { MediaUse, MediaView } from '@thingwright/contracts/media.contract'
import { Alert, Modal, Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useFolders, useMediaChanged, useUsage } from '../hooks.ts'
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
  const changed = useMediaChanged()
  const field = useId()
  const folders = useFolders().data?.items ?? []
  const known = useUsage().data?.tags.map(({ tag }) => tag) ?? []
  const [folderId, setFolderId] = useState<string | null>(null)
  const [tags, setTags] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [kept, setKept] = useState<{ id: string; name: string; usedBy: MediaUse[] }[] | null>(null)
  const ids = items.map(item => item.id)
  const own = [...new Set(items.flatMap(item => item.tags))]
  const ready = kind === 'move' || kind === 'remove' || tags.length > 0

  const work = async () => {
    if (kind === 'remove') {
      const answer = await call('media.removeMany', { body: { ids } })
      if (answer.removed > 0) notify.success(t('removedCount', { count: answer.removed }))
      if (answer.kept.length > 0) return setKept(answer.kept)
    } else {
      const body =
        kind === 'move' ? { ids, folderId } : kind === 'tag' ? { ids, addTags: tags } : { ids, removeTags: tags }
      const { changed: count } = await call('media.batch', { body })
      notify.success(t('changedCount', { count }))
    }
    onClose()
  }
  const run = async () => {
    if (!ready || busy) return
    setBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(false)
      changed()
    }
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
