import {
  CheckCircleFilled,
  CloseCircleFilled,
  LoadingOutlined,
  MinusCircleOutlined,
  UndoOutlined,
} from '@ant-design/icons'
import type { ApprovalStep } from '@thingwright/contracts/assistant-cards'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../../ui/copy-id.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import css from '../messages.module.css'
import { OwnLink } from '../own-link.tsx'
import { visible } from '../visible.ts'
import own from './cards.module.css'

const SIGN = {
  done: <CheckCircleFilled aria-hidden />,
  failed: <CloseCircleFilled aria-hidden />,
  skipped: <MinusCircleOutlined aria-hidden />,
  undone: <UndoOutlined aria-hidden />,
} as const

/** One thing that is to be done: what kind it is, what will happen, what changes, and the calls to the letter. */
export function Step({
  step,
  number,
  running,
  standsAlone,
}: {
  step: ApprovalStep
  /** In a plan, from 1. */
  number: number | null
  /** It is being done now. */
  running: boolean
  /** The card's own head says its name. */
  standsAlone: boolean
}) {
  const { t } = useTranslation('messages')
  const state = step.state === 'waiting' && running ? 'running' : step.state
  return (
    <div className={css.step} data-state={state} data-testid="approval-step">
      {!standsAlone && (
        <div className={own.stepHead}>
          <span className={css.stepSign} aria-hidden>
            {state === 'running' ? <LoadingOutlined /> : state === 'waiting' ? number : SIGN[state]}
          </span>
          <b dir="auto">{visible(step.title)}</b>
          <ClassBadge of={step.class} />
          {state !== 'waiting' && <small className={own.stepState}>{t(`step.${state}`)}</small>}
        </div>
      )}
      <div className={standsAlone ? undefined : own.stepBody}>
        {step.object && (
          <p className={css.object}>
            {t('approval.object')} <OwnLink to={step.object.to}>{visible(step.object.title)}</OwnLink>
          </p>
        )}
        {step.effects.length > 0 && (
          <ul className={own.effects}>
            {step.effects.map((effect, at) => (
              <li key={at}>
                <Markdown text={effect} />
              </li>
            ))}
          </ul>
        )}
        {step.changes.length > 0 && <Changes changes={step.changes} />}
        <Calls calls={step.calls} />
        {step.outcome !== null && (
          <div className={own.outcome} data-state={state}>
            {/* It may be the beginning of a longer text. */}
            <Markdown text={step.outcome} arriving />
          </div>
        )}
      </div>
    </div>
  )
}

/** Read, write, delete or device control, as a word and a colour. */
export function ClassBadge({ of }: { of: ApprovalStep['class'] }) {
  const { t } = useTranslation('messages')
  return (
    <span className={own.badge} data-class={of}>
      {t(`class.${of}`)}
    </span>
  )
}

function Changes({ changes }: { changes: ApprovalStep['changes'] }) {
  const { t } = useTranslation('messages')
  const cell = (value: string | null) =>
    value === null ? <i>{t('approval.nothing')}</i> : <span dir="auto">{visible(value)}</span>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
    <section className={css.wide} tabIndex={0} aria-label={t('approval.changes')}>
      <table className={css.changes}>
        <thead>
          <tr>
            <th scope="col">{t('approval.field')}</th>
            <th scope="col">{t('approval.before')}</th>
            <th scope="col">{t('approval.after')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change, at) => (
            <tr key={at}>
              <th scope="row" dir="auto">
                {visible(change.field)}
              </th>
              <td className={own.before}>{cell(change.before)}</td>
              <td>{cell(change.after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The calls as they will be made, for those who want to see them to the letter. */
function Calls({ calls }: { calls: ApprovalStep['calls'] }) {
  const { t } = useTranslation('messages')
  if (calls.length === 0) return <p className={css.quiet}>{t('approval.callsLater')}</p>
  const text = calls.map(({ route, ...rest }) => `${route}\n${JSON.stringify(rest, null, 2)}`).join('\n\n')
  return (
    <details className={own.calls}>
      <summary>{t('approval.calls', { count: calls.length })}</summary>
      <div className={css.callsText} dir="ltr">
        <CopyButton value={text} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard too */}
        {/* biome-ignore lint/a11y/useSemanticElements: a group of form fields it is not */}
        <pre tabIndex={0} role="group" aria-label={t('approval.callsLabel')}>
          {visible(text)}
        </pre>
      </div>
    </details>
  )
}
