/** Runs while a page is shown: once now, and again so long after each end. */
function whileShown(work, pauseMs) {
  let timer = null
  let isShown = true
  const turn = () => {
    const next = () => {
      if (isShown) timer = setTimeout(turn, pauseMs)
    }
    work().then(next, next)
  }
  turn()
  return () => {
    isShown = false
    clearTimeout(timer)
  }
}

module.exports = { whileShown }
