import type { ApprovalCard } from '@thingwright/contracts/assistant-cards'
import { Alert, Button } from 'antd'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../../lib/errors.ts'
import { type Approval, useApproval } from '../approvals.ts'
import css from '../messages.module.css'
import { visible } from '../visible.ts'
import { ClassBadge, Step } from './approval-step.tsx'
import own from './cards.module.css'

/**
 * Something that is only done when it is allowed: one thing, or a plan of several with one decision and one undo. What
 * stands here is what will be called, found out without doing it.
 */
export function ApprovalView({
  card: given,
  arriving,
  onCard,
}: {
  card: ApprovalCard
  /** The reply that asks is still coming. */
  arriving: boolean
  onCard: (card: ApprovalCard) => void
}) {
  const { t } = useTranslation('messages')
  const approval = useApproval(given, arriving, onCard)
  const { card } = approval
  const box = useRef<HTMLElement>(null)
  const heading = useId()
  const waits = card.state === 'pending'
  const plan = card.steps.length > 1
  const [first] = card.steps
  useEffect(() => {
    if (waits && arriving) takeFocus(box.current)
  }, [waits, arriving])
  const act = (work: Promise<void>) => {
    // The buttons go; whoever pressed one stays with the card.
    void work.then(() => {
      if (document.activeElement === null || document.activeElement === document.body)
        box.current?.focus({ preventScroll: true })
    })
  }
  const runningAt = card.state === 'running' ? card.steps.findIndex(step => step.state === 'waiting') : -1
  const title = plan ? t('approval.plan', { count: card.steps.length }) : visible(first?.title ?? '')
  return (
    <section
      ref={box}
      className={css.approval}
      data-state={card.state}
      data-testid="approval"
      aria-labelledby={heading}
      tabIndex={-1}
    >
      <header className={own.approvalHead}>
        <h4 id={heading} dir="auto">
          {title}
        </h4>
        {!plan && first && <ClassBadge of={first.class} />}
        <span className={css.approvalState} data-testid="approval-state">
          {card.state === 'failed' && !plan ? t('step.failed') : t(`approval.state.${card.state}`)}
        </span>
      </header>
      {waits && arriving && (
        <p role="alert" className={own.unseen}>
          {t('approval.announce', { title })}
        </p>
      )}
      {plan ? (
        <ol className={own.steps}>
          {card.steps.map((step, at) => (
            <li key={at}>
              <Step step={step} number={at + 1} running={at === runningAt} standsAlone={false} />
            </li>
          ))}
        </ol>
      ) : (
        first && <Step step={first} number={null} running={runningAt === 0} standsAlone />
      )}
      {approval.failure !== null && (
        <Alert
          type="error"
          showIcon
          role="alert"
          className={own.failure ?? ''}
          title={errorFacts(approval.failure).message}
        />
      )}
      {waits ? <Decision approval={approval} act={act} /> : <Aftermath approval={approval} act={act} />}
    </section>
  )
}

/** The card takes the focus, not one of its buttons: a key that is on its way must decide nothing. A text in the making is left alone. */
function takeFocus(box: HTMLElement | null): void {
  const now = document.activeElement
  const typing = now instanceof HTMLTextAreaElement || now instanceof HTMLInputElement ? now.value.trim() !== '' : false
  if (!typing) box?.focus({ preventScroll: true })
  box?.scrollIntoView({ block: 'nearest' })
}

function Decision({ approval, act }: { approval: Approval; act: (work: Promise<void>) => void }) {
  const { t } = useTranslation('messages')
  const { card, busy } = approval
  const deletes = card.steps.some(step => step.class === 'delete')
  const controls = card.steps.some(step => step.class === 'control')
  return (
    <>
      {deletes && <p className={own.warning}>{t('approval.warnDelete')}</p>}
      {controls && <p className={own.warning}>{t('approval.warnControl')}</p>}
      <div className={own.buttons}>
        <Button
          type={deletes || controls ? 'default' : 'primary'}
          danger={deletes || controls}
          loading={busy === 'once'}
          disabled={busy !== null}
          onClick={() => act(approval.decide('once'))}
        >
          {t('approval.once')}
        </Button>
        {card.mayAllowForChat && (
          <Button
            title={t('approval.chatHelp')}
            loading={busy === 'chat'}
            disabled={busy !== null}
            onClick={() => act(approval.decide('chat'))}
          >
            {t('approval.chat')}
          </Button>
        )}
        <Button loading={busy === 'deny'} disabled={busy !== null} onClick={() => act(approval.decide('deny'))}>
          {t('approval.deny')}
        </Button>
      </div>
    </>
  )
}

/** What is to be said and done after the decision. */
function Aftermath({ approval, act }: { approval: Approval; act: (work: Promise<void>) => void }) {
  const { t } = useTranslation('messages')
  const [asking, setAsking] = useState(false)
  const { card, busy } = approval
  const sure = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (asking) sure.current?.focus()
  }, [asking])
  const made = card.state === 'done' || card.state === 'failed' || card.state === 'undone'
  const controlled = card.steps.some(step => step.class === 'control' && step.state === 'done')
  const mayUndo = card.undoable && (card.state === 'done' || card.state === 'failed')
  const says =
    card.state === 'denied' || card.state === 'expired'
      ? t(`approval.after_.${card.state}`)
      : made && controlled
        ? t('approval.noUndoControl')
        : null
  if (says === null && !mayUndo) return null
  return (
    <div className={own.aftermath}>
      {says !== null && <p className={css.quiet}>{says}</p>}
      {mayUndo &&
        (asking ? (
          // biome-ignore lint/a11y/useSemanticElements: a group of form fields it is not
          <div className={own.buttons} role="group" aria-label={t('undo.sure')}>
            <span>{t('undo.sure')}</span>
            <Button
              ref={sure}
              danger
              loading={busy === 'undo'}
              onClick={() => act(approval.undo().then(() => setAsking(false)))}
            >
              {t('undo.do')}
            </Button>
            <Button disabled={busy !== null} onClick={() => setAsking(false)}>
              {t('undo.keep')}
            </Button>
          </div>
        ) : (
          <div className={own.buttons}>
            <Button onClick={() => setAsking(true)}>{t(card.steps.length > 1 ? 'undo.all' : 'undo.one')}</Button>
          </div>
        ))}
    </div>
  )
}
