namespace Loxo.Docs.Tests;

public class BulkLoadTests
{
    [Test]
    public async Task The_table_has_each_sale_once_and_the_lines_that_are_none_are_named()
    {
        var (exitCode, output, error) = await Terminal.Run("dotnet", Path.Combine(AppContext.BaseDirectory, "BulkLoad.dll"));

        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Match(@"Loaded 199,981 rows in .*: 199,980 new, 1 with the id of a later one\."));
        Assert.That(output, Does.Contain("line 10001 was left out").And.Contain("20 lines were left out.").And.Contain("Exported 199,980 rows"));
    }
}
