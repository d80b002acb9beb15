import { type ComponentType, lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '../../../lib/i18n.ts'
import { useSession } from '../../../lib/session.ts'
import { useChat } from '../chat/chat-store.ts'
import type { FloatFrame } from '../float-frame.ts'
import type { AssistantMessage, MessageBodyProps, PageContext } from '../model.ts'
import { Boundary } from './boundary.tsx'
import { ToBottomIcon } from './icons.tsx'
import { MessageRow, PlainBody } from './message-row.tsx'
import css from './messages.module.css'
import { SignInAsked, Welcome } from './welcome.tsx'

const loadBody = () => Promise.all([import('../messages/index.tsx'), loadTexts('messages', 'ui')])
const MessageBody = lazy(async () => {
  const [module] = await loadBody()
  return { default: module.MessageBody as ComponentType<MessageBodyProps> }
})

type Send = (input: string, context?: PageContext) => void

/** The messages of the open conversation; before the first one, what can be asked. */
export function Conversation({
  Frame,
  pathname,
  scroll,
  box,
  content,
  onSend,
}: {
  Frame: FloatFrame
  pathname: string
  scroll: { far: boolean; onScroll: () => void; toBottom: () => void }
  box: React.RefObject<HTMLDivElement | null>
  content: React.RefObject<HTMLDivElement | null>
  onSend: Send
}) {
  const { t } = useTranslation('assistant')
  const signedIn = useSession(s => s.token !== null)
  const messages = useChat(s => s.messages)
  const chatId = useChat(s => s.chatId)
  const asking = useChat(s => s.asking)
  const { toBottom } = scroll
  // Another conversation is opened at its end.
  const shown = useRef('')
  useLayoutEffect(() => {
    if (shown.current === chatId) return
    shown.current = chatId
    toBottom()
  }, [chatId, toBottom])
  // What draws replies is there before the first one comes.
  useEffect(() => {
    if (signedIn) loadBody().catch(() => undefined)
  }, [signedIn])
  const state = messages.at(-1)?.state
  return (
    <div className={css.around}>
      <div
        ref={box}
        className={css.scroll}
        onScroll={scroll.onScroll}
        role="log"
        aria-live="off"
        aria-label={t('conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
        tabIndex={0}
        data-testid="ai-conversation"
      >
        <div ref={content} className={css.content}>
          {!signedIn && <SignInAsked />}
          {messages.length === 0 && <Welcome pathname={pathname} onSend={onSend} />}
          {messages.length > 0 && (
            <Boundary instead={<Rows messages={messages} asking={asking} Body={PlainBody} onSend={onSend} />}>
              <Suspense fallback={<Rows messages={messages} asking={asking} Body={PlainBody} onSend={onSend} />}>
                <Frame>
                  <Rows messages={messages} asking={asking} Body={MessageBody} onSend={onSend} />
                </Frame>
              </Suspense>
            </Boundary>
          )}
        </div>
      </div>
      <p className={css.hidden} role="status">
        {state === 1 ? t('answering') : state === 2 ? t('answered') : ''}
      </p>
      {scroll.far && (
        <button
          type="button"
          className={css.toBottom}
          aria-label={t('toBottom')}
          title={t('toBottom')}
          data-testid="ai-to-bottom"
          onClick={toBottom}
        >
          <ToBottomIcon />
        </button>
      )}
    </div>
  )
}

function Rows({
  messages,
  asking,
  Body,
  onSend,
}: {
  messages: AssistantMessage[]
  asking: boolean
  Body: ComponentType<MessageBodyProps>
  onSend: Send
}) {
  return (
    <ol className={css.rows}>
      {messages.map((message, i) => (
        <MessageRow
          key={message.key}
          message={message}
          question={message.type === 'L' ? (messages[i - 1] ?? null) : null}
          answer={message.type === 'L' ? (messages[i + 1]?.data ?? null) : null}
          waiting={asking}
          last={i === messages.length - 1}
          Body={Body}
          onSend={onSend}
        />
      ))}
    </ol>
  )
}
