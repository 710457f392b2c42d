using System.Data.Common;

namespace Loxo.Conformance.Rules;

/// <summary>A test that makes batches; not every provider has them.</summary>
public abstract class BatchRuleTest(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    protected DbBatch Batch(params string[] texts)
    {
        var batch = Connection.CreateBatch();
        foreach (var text in texts)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = text;
            batch.BatchCommands.Add(command);
        }
        return batch;
    }
}
