namespace Loxo.Docs.Tests;

public class ChangeCaptureTests
{
    [Test]
    public async Task The_index_has_what_the_table_has()
    {
        var (exitCode, output, error) = await Terminal.Run("dotnet", Path.Combine(AppContext.BaseDirectory, "ChangeCapture.dll"));

        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Contain("there already: tea").And.Contain("inserted: cocoa").And.Contain("deleted: tea"));
        Assert.That(output, Does.Contain("Done: the index has espresso and cocoa."));
    }
}
