import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useGrantors } from '../../lib/grantors.ts'
import { useSession } from '../../lib/session.ts'
import { signOut } from '../../lib/sign-out.ts'
import buttons from './buttons.module.css'
import { LOCK, MessagePage } from './message-page.tsx'
import css from './pages.module.css'

/** Where the guard sends people who may not open what they asked for, or nothing at all. */
export function NoPermissionPage() {
  const { t } = useTranslation('shell')
  const hasAny = useSession(s => (s.me?.menuPermissions.length ?? 0) > 0 && (s.menus?.length ?? 0) > 0)
  // Whoever may give roles can open the section: it hangs on a role, not on one right.
  const names = useGrantors('member:write').join(t('noPermission.join'))
  return (
    <MessagePage
      testid="no-permission-page"
      sign={LOCK}
      title={t('noPermission.title')}
      actions={
        <>
          {hasAny && (
            <Link to="/index" className={buttons.primary}>
              {t('noPermission.home')}
            </Link>
          )}
          <button type="button" className={buttons.plain} onClick={() => void signOut()}>
            {t('header.signOut')}
          </button>
        </>
      }
    >
      <p className={css.text}>{t(hasAny ? 'noPermission.text' : 'noPermission.nothing')}</p>
      {names !== '' && (
        <p className={css.text} dir="auto" data-testid="grantors">
          {t('noPermission.grantedBy', { names })}
        </p>
      )}
    </MessagePage>
  )
}
