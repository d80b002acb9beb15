import css from './frame-skeleton.module.css'

/** A detail's head and first card while they are being fetched, of the size they will have. */
export function FrameSkeleton() {
  return (
    <div className={css.skeleton} aria-busy="true">
      <div className={css.head}>
        <span className={css.icon} />
        <span className={css.title} />
      </div>
      <div className={css.body} />
    </div>
  )
}
