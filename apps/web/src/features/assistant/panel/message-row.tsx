import { type ComponentType, memo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { changeCard, rate } from '../chat/chat.ts'
import type { AssistantMessage, MessageBodyProps, PageContext } from '../model.ts'
import { Boundary } from './boundary.tsx'
import { IconButton } from './icon-button.tsx'
import { AgainIcon, AttachIcon, CopyIcon, DownIcon, UpIcon } from './icons.tsx'
import css from './messages.module.css'
import { When } from './when.tsx'

/** The text as it is: until what draws Markdown has arrived, and where it fails. */
export function PlainBody({ message }: MessageBodyProps) {
  return <div className={css.plain}>{message.data}</div>
}

interface RowProps {
  message: AssistantMessage
  /** The question that a reply answers, for asking it again. */
  question: AssistantMessage | null
  answer: string | null
  waiting: boolean
  last: boolean
  Body: ComponentType<MessageBodyProps>
  onSend: (input: string, context?: PageContext) => void
}

/** One message with its label: a question at the right, a reply over the whole width with what can be done with it. */
export const MessageRow = memo(function MessageRow({
  message,
  question,
  answer,
  waiting,
  last,
  Body,
  onSend,
}: RowProps) {
  const { t } = useTranslation('assistant')
  if (message.type === 'R')
    return (
      <li className={css.question} data-testid="ai-question">
        <div className={css.bubble}>
          <span className={css.hidden}>{t('you')}</span>
          {message.data}
        </div>
        {message.context && (
          <span className={css.attached}>
            <AttachIcon />
            {t(message.context.kind === 'device' ? 'context.attachedDevice' : 'context.attachedProduct')}
          </span>
        )}
      </li>
    )
  const empty = message.data === '' && !message.cards?.length
  const props = {
    message,
    waiting,
    answer,
    onSend,
    onCard: (card: Parameters<typeof changeCard>[1]) => changeCard(message.key, card),
  }
  return (
    <li className={css.reply} data-state={message.state} data-testid="ai-reply">
      <p className={css.label} data-testid="ai-reply-label">
        <span className={css.mark} aria-hidden="true">
          AI
        </span>
        {message.state === 1 ? (
          <>
            {t('answering')}
            <span className={css.dot} data-testid="ai-dot" aria-hidden="true" />
          </>
        ) : (
          <>
            {t('answered')}
            <span className={css.when}>
              <When ms={message.time} />
            </span>
          </>
        )}
      </p>
      {empty && message.state === 2 ? (
        <p className={css.nothing}>{t('stopped')}</p>
      ) : (
        <Boundary
          instead={
            <>
              <PlainBody {...props} />
              <p className={css.nothing}>{t('broken')}</p>
            </>
          }
        >
          <Body {...props} />
        </Boundary>
      )}
      {message.state === 2 && (
        <Actions message={message} question={question} waiting={waiting} last={last} onSend={onSend} />
      )}
    </li>
  )
})

function Actions({ message, question, waiting, last, onSend }: Omit<RowProps, 'answer' | 'Body'>) {
  const { t } = useTranslation('assistant')
  const { rating = null } = message
  const copy = async () => {
    // The console has it in its own file, which visitors are not to download with the window.
    const { copyText } = await import('../../../ui/copy.ts')
    if (await copyText(message.data)) notify.success(t('actions.copied'))
    else notify.warning(t('actions.copyFailed'))
  }
  return (
    <div className={css.actions} data-last={last}>
      {message.data !== '' && (
        <IconButton label={t('actions.copy')} tip="above" testId="ai-copy" onPress={() => void copy()}>
          <CopyIcon />
        </IconButton>
      )}
      {question && (
        <IconButton
          label={t('actions.again')}
          tip="above"
          reason={waiting ? t('tip.asking') : null}
          onRefused={reason => void notify.info(reason)}
          testId="ai-again"
          onPress={() => onSend(question.data, question.context)}
        >
          <AgainIcon />
        </IconButton>
      )}
      {message.replyId &&
        (['up', 'down'] as const).map(value => (
          <IconButton
            key={value}
            label={t(`actions.${value}`)}
            tip="above"
            pressed={rating === value}
            testId={`ai-rate-${value}`}
            onPress={() => void rate(message, rating === value ? null : value)}
          >
            {value === 'up' ? <UpIcon /> : <DownIcon />}
          </IconButton>
        ))}
    </div>
  )
}
