import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Operation } from '../lib/api-client.ts'
import { errorFacts } from '../lib/errors.ts'
import { useGrantors } from '../lib/grantors.ts'
import { rightOf } from '../lib/permissions.ts'
import { CopyId } from './copy-id.tsx'
import { PageIcon } from './page-icon.tsx'
import css from './ui.module.css'

const icon = (path: ReactNode) => (
  <svg
    className={css.stateIcon}
    viewBox="0 0 40 40"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {path}
  </svg>
)
const BOX = icon(<path d="M6 14 20 7l14 7v13L20 34 6 27zM6 14l14 7 14-7M20 21v13M13 10.5l14 7" />)
const SEARCH = icon(<path d="M17 28a11 11 0 1 1 0-22 11 11 0 0 1 0 22zM25 25l9 9M13 17h8" />)
const BROKEN = icon(<path d="M20 6 36 33H4zM20 16v8M20 28.5v.5" />)
const LOCK = icon(<path d="M9 18h22v15H9zM14 18v-5a6 6 0 0 1 12 0v5M20 24v4" />)

function State({
  icon,
  title,
  children,
  actions,
  testid,
}: {
  icon: ReactNode
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  testid: string
}) {
  return (
    <div className={css.state} data-testid={testid}>
      {icon}
      <p className={css.stateTitle}>{title}</p>
      {children}
      {actions && <div className={css.stateActions}>{actions}</div>}
    </div>
  )
}

/** Nothing there: why, one action, a link to the documentation. With `onClear` it says that the filters hide everything. */
export function EmptyState({
  title,
  description,
  action,
  docHref,
  onClear,
}: {
  title?: ReactNode
  description?: ReactNode
  action?: ReactNode
  docHref?: string
  onClear?: () => void
}) {
  const { t } = useTranslation('ui')
  if (onClear)
    return (
      <State
        icon={SEARCH}
        testid="empty-filtered"
        title={title ?? t('empty.filteredTitle')}
        actions={<Button onClick={onClear}>{t('clearFilters')}</Button>}
      >
        <p className={css.stateText}>{description ?? t('empty.filteredText')}</p>
      </State>
    )
  return (
    <State
      icon={<PageIcon size={40} className={css.stateIcon} fallback={BOX} />}
      testid="empty"
      title={title ?? t('empty.title')}
      actions={
        action || docHref ? (
          <>
            {action}
            {docHref && (
              <Button type="link" href={docHref} target="_blank" rel="noreferrer">
                {t('readDoc')}
              </Button>
            )}
          </>
        ) : undefined
      }
    >
      {description && <p className={css.stateText}>{description}</p>}
    </State>
  )
}

/** What failed, code and request id to copy, retry. */
export function ErrorState({ error, title, onRetry }: { error: unknown; title?: ReactNode; onRetry?: () => void }) {
  const { t } = useTranslation('ui')
  const { message, code, requestId } = errorFacts(error)
  return (
    <State
      icon={BROKEN}
      testid="error-state"
      title={title ?? t('error.title')}
      actions={onRetry && <Button onClick={onRetry}>{t('retry')}</Button>}
    >
      <p className={css.stateText} role="alert">
        {message}
      </p>
      <p className={css.facts}>
        <span>
          {t('error.code')} <CopyId value={code} />
        </span>
        {requestId && (
          <span>
            {t('error.requestId')} <CopyId value={requestId} />
          </span>
        )}
      </p>
    </State>
  )
}

/** Which right is missing and who can grant it. */
export function NoPermissionState({ of }: { of?: Operation }) {
  const { t } = useTranslation('ui')
  const permission = (of && rightOf(of)) ?? undefined
  const names = useGrantors(permission).join(t('noPermission.join'))
  const known = names === '' ? t('noPermission.text', { permission }) : t('noPermission.why', { permission, names })
  return (
    <State icon={LOCK} testid="no-permission" title={t('noPermission.title')}>
      <p className={css.stateText} dir="auto">
        {permission ? known : t('noPermission.plain')}
      </p>
    </State>
  )
}
