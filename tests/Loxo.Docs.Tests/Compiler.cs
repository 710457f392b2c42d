using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Loxo.Docs.Tests;

/// <summary>Compiles the code of the documentation against the driver as it is now.</summary>
internal static class Compiler
{
    // What a project with ImplicitUsings has, and what a reader of these pages has in mind.
    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private const string UsingsOfParts = """
        using System.Data;
        using System.Data.Common;
        using System.Net;
        using System.Net.NetworkInformation;
        using Loxo;
        using Loxo.Embedded;
        using Loxo.Pooling;
        using Loxo.Protocol;
        using Loxo.Protocol.Backend;
        using Loxo.Protocol.Frontend;
        using Loxo.Session;
        using Loxo.Settings;
        using Loxo.Transport;
        using Loxo.Types;
        """;

    // The objects that lines of a page take for granted; a line that declares one itself hides it.
    private const string Objects = """
        static PgDataSource dataSource = null!;
        static PgConnection connection = null!;
        static CancellationToken token;
        """;

    private static readonly CSharpParseOptions Parsing = new(LanguageVersion.Latest);

    private static readonly MetadataReference[] References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal) || Path.GetFileName(path) is "netstandard.dll" or "mscorlib.dll"
                || Path.GetFileName(path).StartsWith("Microsoft.Extensions.", StringComparison.Ordinal)
                || Path.GetFileName(path).StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal)
                || Path.GetFileName(path).StartsWith("OpenTelemetry", StringComparison.Ordinal))
            .Append(typeof(PgConnection).Assembly.Location)
            .Append(typeof(Loxo.Pooling.ResourcePoolOptions).Assembly.Location)
            .Append(typeof(Loxo.Pooling.PooledDataSource).Assembly.Location)
            .Append(typeof(Loxo.Embedded.PgEmbeddedServer).Assembly.Location)
            .Append(typeof(LoxoOpenTelemetryExtensions).Assembly.Location)
            .Append(typeof(PgNetTopologySuite).Assembly.Location)
            .Append(typeof(global::NetTopologySuite.Geometries.Geometry).Assembly.Location)
            .Append(typeof(PgDashboardOptions).Assembly.Location)
            .Append(typeof(LoxoDapper).Assembly.Location)
            .Append(typeof(global::Dapper.SqlMapper).Assembly.Location)
            .Append(typeof(PgDataSourceOptions).Assembly.Location)
            .Append(typeof(PgNodaTimeExtensions).Assembly.Location)
            .Append(typeof(global::NodaTime.Instant).Assembly.Location)
            .Append(typeof(global::Npgsql.NpgsqlFactory).Assembly.Location)
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>The errors of a block, as the compiler words them.</summary>
    public static IReadOnlyList<string> Errors(CodeBlock block) => Errors(Compile(block));

    /// <summary>Compiles a whole program and runs it.</summary>
    /// <returns>What it wrote to the console.</returns>
    public static async Task<string> Run(CodeBlock program)
    {
        await using var output = new ConsoleOutput();
        await RunProgram(program);
        return output.Text;
    }

    /// <summary>Compiles a block and runs it: a whole program, or lines that take objects for granted. Types alone do not run.</summary>
    /// <param name="block">The block.</param>
    /// <param name="dataSource">What the lines' data source is, and where their connection comes from.</param>
    /// <param name="token">The lines' token.</param>
    public static async Task Run(CodeBlock block, PgDataSource dataSource, CancellationToken token)
    {
        if (block.IsProgram)
        {
            await RunProgram(block);
        }
        else if (Load(block).GetType("Page") is { } page)
        {
            await using var connection = await dataSource.OpenConnectionAsync(token);
            Set(page, "dataSource", dataSource);
            Set(page, "connection", connection);
            Set(page, "token", token);
            var lines = page.GetMethod("Lines", BindingFlags.NonPublic | BindingFlags.Static)!;
            await Task.Run(() => (Task)lines.Invoke(null, null)!, CancellationToken.None);
        }
    }

    private static Task RunProgram(CodeBlock program)
    {
        var entryPoint = Load(program).EntryPoint!;
        return Task.Run(() => entryPoint.Invoke(null, entryPoint.GetParameters().Length == 0 ? null : [Array.Empty<string>()]));
    }

    private static void Set(Type page, string name, object value) =>
        page.GetField(name, BindingFlags.NonPublic | BindingFlags.Static)!.SetValue(null, value);

    private static Assembly Load(CodeBlock block)
    {
        var compilation = Compile(block);
        Assert.That(Errors(compilation), Is.Empty);
        using var image = new MemoryStream();
        compilation.Emit(image);
        return Assembly.Load(image.ToArray());
    }

    private static CSharpCompilation Compile(CodeBlock block)
    {
        var code = block.IsProgram ? block.Code : UsingsOfParts + "\n" + (HoldsTypes(block.Code) ? block.Code : Wrapped(block.Code));
        return CSharpCompilation.Create(
            "Loxo.Docs.Tests", // a name that Loxo shows its internals to, for the recipes
            [CSharpSyntaxTree.ParseText(Usings, Parsing), CSharpSyntaxTree.ParseText(code, Parsing)],
            References,
            new CSharpCompilationOptions(
                block.IsProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable));
    }

    private static string[] Errors(CSharpCompilation compilation) =>
    [
        .. compilation.GetDiagnostics()
            .Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error)
            .Select(diagnostic => diagnostic.ToString()),
    ];

    private static bool HoldsTypes(string code) =>
        CSharpSyntaxTree.ParseText(code, Parsing).GetCompilationUnitRoot().Members.Any(member => member is BaseTypeDeclarationSyntax);

    private static string Wrapped(string code) => $"static class Page {{ {Objects} static async Task Lines() {{ await Task.CompletedTask;\n{code}\n}} }}";
}
