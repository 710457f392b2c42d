using Microsoft.CodeAnalysis;

namespace Loxo.Tests.Architecture;

/// <summary>The tests of a class are where one looks for them.</summary>
public sealed class TestedTests
{
    private const int LinesOfSmallClass = 60;

    private static readonly string[] _folders = ["Commands", "Session", "Parameters", "Reading", "Pool"];

    /// <summary>Classes without a <c>...Tests.cs</c> of their name, each with the test classes that cover it.</summary>
    private static readonly Dictionary<string, string> _testedElsewhere = new()
    {
        ["CommandPlan"] = "PlaceholderTests ReusedCommandTests",
        ["CommandRunner"] = "PgCommandTests ExecuteTests",
        ["CommandTracing"] = "SpanTests CommandLogTests",
        ["ConnectionCopies"] = "PgConnectionTests PasswordProviderTests",
        ["ConnectionOpener"] = "PgConnectionTests OpenTimeoutTests",
        ["HostChoice"] = "HostTests",
        ["LaneOperation"] = "LaneTests LaneInterleavingTests",
        ["LaneRunner"] = "LaneTests LaneInterleavingTests",
        ["LaneSet"] = "LaneTests LaneStatisticsTests",
        ["LargeObjectFunctions"] = "LargeObjectTests",
        ["PipelinedCommand"] = "PipelinedResultsTests",
        ["Preparer"] = "PreparingTests PrepareTests",
        ["ReaderRunner"] = "BehaviorTests SpanTests",
        ["RepeatedRun"] = "RepeatedExchangeTests ExecuteManyTests",
        ["RepeatedRunner"] = "ExecuteManyTests",
        ["StatementWriter"] = "PreparingTests AutoPrepareTests",
        ["HostGroup"] = "HostTests",
        ["HostHunt"] = "HostTests",
        ["RoleMonitor"] = "HostTests",
        ["RoleQuestion"] = "HostTests",
        ["AuditSchedule"] = "AuditedDatabaseTests DatabaseAuditTests",
        ["ResetTrial"] = "ServerProfilePoolTests",
        ["BufferedColumnStream"] = "StreamTests",
        ["ColumnStreams"] = "StreamTests SequentialTests",
        ["ReaderErrors"] = "GetterTests",
        ["ReaderMoves"] = "PgDataReaderTests BehaviorTests ClosedUnderReaderTests",
        ["ResultCursor"] = "PgDataReaderTests BehaviorTests",
        ["CancelRequest"] = "CancelTests EncryptedCancelTests",
        ["Cancellation"] = "CancelTests CancelBeforeTests LateCancelTests",
        ["DeferredStatements"] = "HandOverTests SessionResetTests",
        ["GssEncryption"] = "KerberosTests",
        ["GssLogin"] = "KerberosTests",
        ["HandshakeErrors"] = "HandshakeTests RefusedLoginTests",
        ["PeriodicPassword"] = "PasswordProviderTests",
        ["RequestWriter"] = "QueryExchangeTests StatementValidityTests",
        ["ResultConversion"] = "ResultRewriterTests UnknownTypeTests",
        ["SessionDrain"] = "ClosingTests",
        ["SessionEncryption"] = "FallbackTests DirectNegotiationTests",
        ["SessionErrors"] = "ErrorTests",
        ["SessionOpener"] = "HandshakeTests LoginTests",
        ["SessionOwner"] = "ServerSessionTests PipelineEndTests",
        ["SessionTypes"] = "OutdatedTypeTests TypeLoadingTests",
        ["StatementRun"] = "QueryExchangeTests",
        ["TypeLookup"] = "TypeLoadingTests",
        ["TypeQuery"] = "TypeLoadingTests",
        ["PgCommandBuilder"] = "DataAdapterTests",
        ["PgDataAdapter"] = "DataAdapterTests",
        ["PgDataSourceBuilderBase"] = "PgDataSourceBuilderTests",
        ["PgDbColumn"] = "KeyInfoTests SchemaTests",
        ["PgLargeObjectStream"] = "LargeObjectTests",
        ["PgMultiHostDataSource"] = "HostTests",
        ["PgNestedDataReader"] = "NestedReaderTests",
        ["WholeRunner"] = "ExecuteTests LaneUseTests",
        ["PgPipelineResult"] = "PipelinedResultsTests PipelineTests",
    };

    [Test]
    public void A_class_has_its_tests_under_its_name_or_says_where_they_are()
    {
        var tests = Repository.Files("tests").Where(path => path.EndsWith("Tests.cs", StringComparison.Ordinal))
            .Select(path => Path.GetFileNameWithoutExtension(path)).ToHashSet();
        Breach.AssertNone(
            from type in SizeRules.TypesOf(Sources.Own)
            let file = type.DeclaringSyntaxReferences[0].SyntaxTree.FilePath
            where IsLookedFor(type, file.Split('/')) && !tests.Contains(type.Name + "Tests")
            select new Breach(file, type.Name, $"there is no {type.Name}Tests.cs below tests.", "Write it, or list here what covers the class."),
            _testedElsewhere);
        Assert.That(_testedElsewhere.Values.SelectMany(names => names.Split(' ')).Except(tests), Is.Empty, "test classes that there are not");
    }

    // Interfaces, enums and records of values have nothing to test by themselves.
    private static bool IsLookedFor(INamedTypeSymbol type, string[] path) =>
        path is ["src", "Loxo", .. var rest] && type is { TypeKind: TypeKind.Class or TypeKind.Struct, ContainingType: null }
        && (rest is [_] ? type.DeclaredAccessibility == Accessibility.Public : _folders.Contains(rest[0]))
        && SizeRules.LinesOfCode(type) >= LinesOfSmallClass;
}
