namespace Loxo.Docs.Tests;

public class CodeBlockTests
{
    [TestCaseSource(nameof(Blocks))]
    public void Every_csharp_block_of_a_page_compiles(CodeBlock block) => Assert.That(Compiler.Errors(block), Is.Empty);

    [Test]
    public void A_block_that_does_not_compile_is_found()
    {
        var block = CodeBlock.Of("page.md", ["text", "```csharp", "connection.OpenSoon();", "```"]).Single();

        Assert.That(block.Line, Is.EqualTo(3));
        Assert.That(Compiler.Errors(block), Has.Some.Contains("OpenSoon"));
    }

    [Test]
    public void Lines_types_and_programs_are_told_apart()
    {
        Assert.That(Compiler.Errors(new CodeBlock("page.md", 1, "await connection.OpenAsync(token);")), Is.Empty);
        Assert.That(Compiler.Errors(new CodeBlock("page.md", 1, "sealed class Shop(PgDataSource source) { public string Name => source.ConnectionString; }")), Is.Empty);
        Assert.That(Compiler.Errors(new CodeBlock("page.md", 1, "using Loxo;\nConsole.WriteLine(PgConnection.DefaultPort);")), Is.Empty);
    }

    private static IEnumerable<TestCaseData> Blocks() => CodeBlock.All().Select(block => new TestCaseData(block).SetArgDisplayNames(block.ToString()));
}
