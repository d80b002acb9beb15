// Filled in when the package is made; values of ext.json come before these.
module.exports = { server: '', portal: '' }
