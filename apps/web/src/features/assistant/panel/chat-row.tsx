import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { history } from '../chat/history.ts'
import { NAME_MAX, type ChatRow as Row } from '../chat/history-db.ts'
import css from './history.module.css'
import { IconButton } from './icon-button.tsx'
import { ClearIcon, CloseIcon, RenameIcon, TickIcon } from './icons.tsx'
import panel from './panel.module.css'
import { When } from './when.tsx'

/** One conversation of the history: opened, renamed, deleted (after a second press). */
export function ChatRow({
  row,
  current,
  reason,
  onOpen,
  onDelete,
}: {
  row: Row
  current: boolean
  /** Why nothing can be done with it just now. */
  reason: string | null
  onOpen: () => void
  onDelete: () => void
}) {
  const { t } = useTranslation('assistant')
  const [doing, setDoing] = useState<'rename' | 'delete' | null>(null)
  if (doing === 'rename') return <Rename row={row} onDone={() => setDoing(null)} />
  return (
    <li className={css.row} aria-current={current ? 'true' : undefined} data-testid="ai-chat">
      <button type="button" className={css.open} aria-disabled={reason ? true : undefined} onClick={onOpen}>
        <span className={css.name} title={row.name}>
          {row.name}
        </span>
        <span className={css.time}>
          <When ms={row.time} />
        </span>
      </button>
      {doing === 'delete' ? (
        <div className={css.sure} role="alertdialog" aria-label={t('history.confirmDelete')}>
          <span>{t('history.confirmDelete')}</span>
          <button type="button" className={panel.small} onClick={() => setDoing(null)}>
            {t('history.cancel')}
          </button>
          <button
            type="button"
            className={panel.danger}
            onClick={onDelete}
            data-testid="ai-delete-yes"
            // biome-ignore lint/a11y/noAutofocus: the question has just been asked for
            autoFocus
          >
            {t('history.delete')}
          </button>
        </div>
      ) : (
        <div className={css.tools}>
          <IconButton
            label={t('history.rename')}
            tip="below-left"
            testId="ai-rename"
            onPress={() => setDoing('rename')}
          >
            <RenameIcon />
          </IconButton>
          <IconButton
            label={t('history.delete')}
            reason={reason}
            onRefused={words => void notify.info(words)}
            tip="below-left"
            testId="ai-delete"
            onPress={() => setDoing('delete')}
          >
            <ClearIcon />
          </IconButton>
        </div>
      )}
    </li>
  )
}

function Rename({ row, onDone }: { row: Row; onDone: () => void }) {
  const { t } = useTranslation('assistant')
  const [name, setName] = useState(row.name)
  const save = async () => {
    const wanted = name.trim()
    if (wanted === '') return void notify.warning(t('history.nameEmpty'))
    const done = await Promise.resolve(history()?.rename(row.id, wanted)).catch(() => false)
    if (done) notify.success(t('history.renamed'))
    else notify.error(t('history.renameFailed'))
    onDone()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') void save()
    else if (event.key === 'Escape') onDone()
    else return
    // Escape would close the window as well.
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <li className={css.row} data-testid="ai-chat">
      <input
        className={css.rename}
        value={name}
        maxLength={NAME_MAX}
        aria-label={t('history.name')}
        data-testid="ai-rename-input"
        onChange={event => setName(event.target.value)}
        onKeyDown={onKeyDown}
        onFocus={event => event.target.select()}
        // biome-ignore lint/a11y/noAutofocus: renaming has just been asked for
        autoFocus
      />
      <IconButton label={t('history.save')} tip="below-left" testId="ai-rename-save" onPress={() => void save()}>
        <TickIcon />
      </IconButton>
      <IconButton label={t('history.cancel')} tip="below-left" onPress={onDone}>
        <CloseIcon />
      </IconButton>
    </li>
  )
}
