package relay

import (
	"context"
)

// prepare lets whoever tells what else rows change, by foreign keys, read the schema before the changes since the checkpoint
// are applied. The checkpoint may be of a quarter of an hour ago, and the catalogue publishes nothing before the stream has
// come to the present, so that each row that was changed since would count as a change to everything. Package catalog says
// why the schema of now may be used for that, if the source shows every definition from before the checkpoint.
//
// The relay does the same when it begins in the past, and tells rows by what it has read. So there are two readings in an
// incarnation: R, the relay's, before its first checkpoint, at P; and F, the consumer's, after that came and before
// what follows on C is applied, the checkpoint at which the consumer begins. S is a place where a definition is changed.
//
//  1. S is before P: both readings have seen it.
//  2. S is after C, and R, or F, or both have seen it, or neither. The relay has told rows before S by a schema that they were
//     not written under, and tags are touched that nothing depends on. At S the consumer gets the statement. If it uses F
//     until then, it ends everything at S, see [catalog.Catalog.Fell]. If it has no F, or none any more, its catalogue
//     has not published: what it publishes was loaded after F, and so after R. If R has seen S, the source's position after
//     that load is S or later, and there the stream must be before anything is published. Until then each row
//     counts as everything. If R has not seen S, the relay has told rows before S by the schema that they had.
//  3. As 2, and the relay goes on after S: it has dropped R there, as the consumer drops F.
//  4. S is after P and before C: after S nothing was told by R, and the consumer knows nothing from before C. F has seen S.
//  5. The consumer is said to be complete after a change that is told wrongly, and before S. It is not: the relay asks the source for
//     its position after the consumer has asked, which is after F and R. If one of them has seen S, that position is not before S.
//
// While it is called the ledger's head is zero, as is the AsOf of whatever is read meanwhile, and no question is asked.
func (c *Consumer) prepare(ctx context.Context, p *checkpoint) {
	if c.Prepare == nil {
		return
	}
	if err := c.Prepare(ctx, p.source, p.done); err != nil {
		c.log.Warn("cannot read the source's schema before the changes since the checkpoint; until the schema is read, each counts as a change to everything", "error", err)
	}
}
