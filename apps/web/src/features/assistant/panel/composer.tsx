import { type KeyboardEvent, type RefObject, useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useSession } from '../../../lib/session.ts'
import { readPreference, writePreference } from '../../../lib/storage.ts'
import { stop } from '../chat/chat.ts'
import { useChat } from '../chat/chat-store.ts'
import type { PageContext } from '../model.ts'
import css from './composer.module.css'
import { AttachIcon, SendIcon, StopIcon } from './icons.tsx'

/** The longest question the server takes (QUESTION_MAX of the contract), characters. */
export const LONGEST = 4000
/** From here on it is said how many characters there are. */
const COUNTED_FROM = 3500
/** Rows of the field (specification §2). */
const ROWS = { least: 2, most: 8 }
const ATTACH = 'assistant.attach'

/** Whether this person attaches what the page shows; asked for once, then kept. */
export const isAttached = () => readPreference<boolean>(ATTACH) === true

/** The field for the next question: Enter sends, Shift+Enter begins a line, an input method's Enter does neither. */
export function Composer({
  input,
  here,
  attached,
  onAttach,
  onSend,
}: {
  input: RefObject<HTMLTextAreaElement | null>
  /** The device or product of the page. */
  here: PageContext | null
  attached: boolean
  onAttach: (attached: boolean) => void
  onSend: (question: string) => void
}) {
  const { t } = useTranslation('assistant')
  const signedIn = useSession(s => s.token !== null)
  const asking = useChat(s => s.asking)
  const draft = useChat(s => s.draft)
  const long = draft.length > LONGEST

  // As high as its text, between 2 and 8 rows.
  useLayoutEffect(() => {
    const field = input.current
    if (!field) return
    const style = getComputedStyle(field)
    const line = Number.parseFloat(style.lineHeight)
    const padding = Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom)
    field.style.height = '0'
    const rows = Math.round((field.scrollHeight - padding) / line)
    const shown = draft === '' ? ROWS.least : Math.max(ROWS.least, Math.min(ROWS.most, rows))
    field.style.height = `${shown * line + padding}px`
    field.style.overflowY = rows > ROWS.most ? 'auto' : 'hidden'
  }, [draft, input])

  const submit = () => {
    if (draft === '') return
    if (asking) return void notify.info(t('tip.asking'))
    if (draft.trim() === '') return void notify.warning(t('blank'))
    if (long) return void notify.warning(t('tooLong', { max: LONGEST }))
    onSend(draft.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // 229: browsers that end the composition before they tell of the key.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  }
  return (
    <div className={css.composer}>
      <div className={css.box} data-testid="ai-composer">
        <textarea
          ref={input}
          className={css.input}
          rows={ROWS.least}
          value={draft}
          placeholder={t(signedIn ? 'placeholder' : 'placeholderSignedOut')}
          aria-label={t('input')}
          aria-invalid={long || undefined}
          data-testid="ai-input"
          onChange={event => useChat.setState({ draft: event.target.value })}
          onKeyDown={onKeyDown}
        />
        <div className={css.bar}>
          {here && (
            <button
              type="button"
              className={css.chip}
              aria-pressed={attached}
              data-testid="ai-context"
              onClick={() => {
                writePreference(ATTACH, attached ? null : true)
                onAttach(!attached)
              }}
            >
              <AttachIcon />
              {t(`context.${here.kind}`)}
            </button>
          )}
          <span className={css.space} />
          {draft.length > COUNTED_FROM && (
            <span className={css.count} data-long={long}>
              {t('count', { count: draft.length, max: LONGEST })}
            </span>
          )}
          {asking ? (
            <button
              type="button"
              className={css.stop}
              aria-label={t('stop')}
              data-testid="ai-stop"
              onClick={event => {
                // The second half of a double click on "send", whose place this has taken.
                if (event.detail < 2) stop()
              }}
            >
              <StopIcon />
              {t('stop')}
            </button>
          ) : (
            <button
              type="button"
              className={css.send}
              aria-label={t('send')}
              title={t('send')}
              disabled={draft === ''}
              data-testid="ai-send"
              onClick={submit}
            >
              <SendIcon />
            </button>
          )}
        </div>
      </div>
      <p className={css.note}>{t('note')}</p>
    </div>
  )
}
