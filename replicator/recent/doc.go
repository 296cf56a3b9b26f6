// Package recent remembers the last transactions that changed something: which tables, how, and when. It is for people who
// ask what ended their results, and how often each table changes. It has names and numbers, never a value or a text, and
// nothing that is served depends on it.
//
// The recorder adds a transaction before it records it in the ledger. The other way round, somebody may ask in between:
//
//  1. The ledger has the transaction: an entry is found to have changed at 95.
//  2. Somebody asks what happened at 95, and it is not known.
//  3. The transaction is added.
//
// So whoever has a Seq from the ledger finds it here, unless it is too long ago. What is added a moment too early is seen
// by those who list the last transactions, and does no harm there.
//
// Seqs of two epochs are not comparable, and may be the same:
//
//  1. In epoch 1 a transaction is added, with Seq 95.
//  2. The place in the stream is lost. Epoch 2 begins, and the ledger with it.
//  3. In epoch 2 another transaction has Seq 95, or none has.
//
// So a Seq is looked for among transactions of the newest epoch that is known here alone. Who asks has taken the Seq from
// an entry of the ledger's epoch, and in that one whatever the ledger has was added here before: the newest epoch here is
// the same one, or one that began after the entry was looked at, and then nothing is found or another transaction, of an
// entry that is not served any more either.
package recent
